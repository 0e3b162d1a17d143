// The stream of the table, and the truth about how live it is.
import { at, plain, say } from "./words.js";

const DEAD_MS = 2500; // with a beat each second the screen says so within 3 s
let daemon = "ok", heardAt = performance.now(), ageThen = 0, source;

const named = new URLSearchParams(location.search).get("table");
export const query = (values = {}) => "?" + new URLSearchParams({ ...(named ? { table: named } : {}), ...values });

/** Follows the table; `onTable` gets each whole status, `onSince` what was missed, `onBeat` what each second says. `from`: another stream than a person's. */
export function follow(onTable, onSince, onBeat = () => {}, from = "/stream") {
  source = new EventSource(from + query());
  source.addEventListener("table", (e) => onTable(JSON.parse(e.data, plain)));
  source.addEventListener("since", (e) => onSince(JSON.parse(e.data).missed));
  source.addEventListener("beat", (e) => {
    const beat = JSON.parse(e.data, plain);
    [daemon, ageThen, heardAt] = [beat.daemon, beat.age_ms, performance.now()];
    show();
    onBeat(beat);
  });
  source.addEventListener("over", () => { source.close(); location.assign("/login"); });
  source.onerror = async () => {
    if (source.readyState !== EventSource.CLOSED) return;
    await new Promise((later) => setTimeout(later, 1000));
    try { // a refused stream is not tried again by the browser
      if (from === "/stream" && (await fetch("/", { redirect: "manual" })).type === "opaqueredirect") location.assign("/login");
    } catch { /* the panel is away */ }
    follow(onTable, onSince, onBeat, from);
  };
}

const silence = () => performance.now() - heardAt;
export const age = () => ageThen + silence();
/** Returns "", or which part is not live: panel, silent, away. */
export function dead() {
  if (silence() > DEAD_MS) return "panel";
  if (daemon !== "ok" && age() > 1000) return daemon;
  return age() > DEAD_MS ? "silent" : "";
}

function show() {
  const why = dead(), seconds = Math.floor(age() / 1000);
  document.body.classList.toggle("dead", why !== "");
  at("live").textContent = why ? say("live.not", { s: seconds }) : say("live.ok");
  at("cover").hidden = !why;
  if (why) {
    if (at("dialog")?.open) at("dialog").close();
    at("cover-text").textContent = say(`dead.${why}`);
    at("cover-age").textContent = say("live.age", { s: seconds });
  }
}
setInterval(show, 250);
