// A touch becomes an act: with what the person was looking at, sent once, answered when it is on record.
import { dead } from "./live.js";
import { at, core_says, knows, make, plain, say } from "./words.js";

export const csrf = document.querySelector("meta[name=csrf]").content;
export const role = document.querySelector("meta[name=role]").content;
let shown = {}, busy = false;

/** Notes the status that is on the screen now. */
export function looksAt(status) { shown = status; }

async function post(path, body) {
  const answer = await fetch(path, {
    method: "POST", headers: { "content-type": "application/json", "x-csrf": csrf }, body: JSON.stringify(body),
  });
  if (answer.status === 401) location.assign("/login");
  return JSON.parse(await answer.text(), plain);
}

const touch = () => crypto.getRandomValues(new Uint32Array(4)).join("-");
const seen = () => ({ order: shown.record?.order ?? 0, marks: shown.marks ?? {} });

/** Does acts one after another, until one is refused; returns whether all were done. */
export async function doAll(acts, view = seen(), second = undefined) {
  if (busy || dead()) return false;
  busy = true;
  document.querySelectorAll("button").forEach((b) => (b.disabled = true));
  at("said").textContent = "";
  try {
    for (const [act, args] of acts) {
      const answer = await post("/act", { act, args, table: shown.table, seen: view, touch: touch(), second });
      if (answer.error) {
        at("said").textContent = refusal(answer.error, args.seat);
        return false;
      }
    }
    return true;
  } catch {
    at("said").textContent = say("unknown_end");
    return false;
  } finally {
    busy = false;
    document.querySelectorAll("button").forEach((b) => (b.disabled = false));
  }
}
export const doIt = (act, args = {}, view = undefined, second = undefined) => doAll([[act, args]], view, second);
export const view = seen;

/** Returns what would follow from an act, or its error. */
export const tryIt = (act, args = {}) => post("/try", { act, args, table: shown.table, touch: touch() });
export const logout = async () => { await post("/logout", {}); location.assign("/login"); };

/** Returns what was refused, and why; `seat`: whose act it was, which the sentences of the core name in English alone. */
export function refusal(error, seat = 0) {
  if (error.code !== "refused" && knows(error.code)) return say(error.code); // of a log-in
  if (knows(`refusal.${error.code}`)) return say(`refusal.${error.code}`);
  const text = why(error), named = text !== error.reason && !text.startsWith(error.reason);
  return say("refused", { reason: seat && named ? `${say("seat", { n: seat })}: ${text}` : text });
}
/** Returns the reason of a refusal with its clauses. */
export const why = (error) => core_says(`refusal.${error.refusal || error.code}`, error.reason, { changed: changed(error) }) + (error.cite?.length ? ` [${error.cite.join(", ")}]` : "");
/** Returns which parts of the table have changed, in words: the reason of `view_stale` names them. */
const changed = (error) => (/: (.*);/.exec(error.reason)?.[1] ?? "").split(", ").map((part) => {
  const [what, n] = part.split(" ");
  return core_says(`part.${what}`, part, { n: n ?? "" }).trim();
}).join(", ");

/** Opens the one dialog: a title, a text, keys made of [label, small, do, cls]. `before`: parts above the keys. */
export function ask(title, text, keys, before = [], cls = "") {
  at("dialog").className = cls;
  at("dialog-title").textContent = title;
  at("dialog-text").textContent = text;
  at("dialog-keys").replaceChildren(...before, ...keys.map(key));
  if (!at("dialog").open) at("dialog").showModal();
}
export const key = ([label, small, on, cls]) => make("button", { text: label, cls, on }, small && make("small", { text: small }));
export const close = () => at("dialog").close();

/** Asks for a whole number by touch, then calls `done` with it. */
export function number(title, text, done) {
  const typed = make("output", { text: "" });
  const press = (d) => () => { typed.textContent = (typed.textContent + d).slice(0, 6); };
  const digits = [..."7894561230"].map((d) => [d, "", press(d)]);
  const clear = [say("number.clear"), "", () => { typed.textContent = ""; }];
  const confirm = [say("confirm"), "", () => { if (typed.textContent) { close(); done(Number(typed.textContent)); } }, "main"];
  ask(title, text, [...digits, clear, confirm], [typed]);
}
