// An act shows what it leads to before it is done. Where it is for another person, that person logs in for this one act.
import { ask, close, doIt, key, refusal, tryIt, view, why } from "./acts.js";
import { consequence } from "./irregular.js";
import { color, may, name } from "./table.js";
import { at, make, money, say } from "./words.js";

export { color, may, name };
export const set = (back) => say("set.of", { back: color(back) }).replace(/^./, (c) => c.toUpperCase());
const ANOTHER = ["role_too_low", "same_person_verifies"];

/** Shows what follows from an act, and does it when it is confirmed. `back`: where the person goes who does not confirm. */
export async function confirmIt(act, args, title, back = undefined) {
  const before = view(), told = await tryIt(act, args), keys = back ? [[say("back"), "", back]] : [];
  if (told.error && ANOTHER.includes(told.error.refusal)) return second(act, args, title, before, why(told.error));
  if (told.error) return ask(title, why(told.error), keys);
  const text = told.facts.map((fact) => (fact.kind === "level_wanted" ? say("f.level_wanted", fact.data) : consequence(fact))).filter(Boolean);
  ask(title, [...new Set(text)].join("\n"), [[say("confirm"), "", () => { close(); doIt(act, args, before); }, "main"], ...keys]);
}
/** Says why an act cannot be done now. */
export async function whyNot(act, args, title, back) {
  const told = await tryIt(act, args);
  ask(title, told.error ? why(told.error) : "", [[say("back"), "", back]]);
}

/** Asks a second person for number and PIN; the act is done in that person's name. */
export function second(act, args, title, before = view(), why = "") {
  const number = make("input", { id: "second-number", inputmode: "numeric", autocomplete: "off" });
  const pin = make("input", { id: "second-pin", type: "password", inputmode: "numeric", autocomplete: "off" });
  const form = [make("label", { text: say("login.number"), for: number.id }), number, make("label", { text: say("login.pin"), for: pin.id }), pin];
  const done = () => { const who = { number: number.value, pin: pin.value }; close(); doIt(act, args, before, who); };
  ask(`${title}: ${say("second.title")}`, `${why}\n${say("second.text")}`, [[say("second.confirm"), "", done, "main"]], form);
  number.focus();
}

/** Asks for words: those that are often needed by touch, others by the keyboard. */
export function words(title, text, often, done) {
  const typed = make("textarea", { rows: "2", maxlength: "500", id: "typed", "aria-label": say("words.own") });
  const say_it = (said) => () => { if (said.trim()) done(said.trim()); };
  const keys = often.map((code) => [say(code), "", say_it(say(code))]);
  ask(title, text, [...keys, [say("words.own"), "", () => say_it(typed.value)(), "main"]], [typed]);
}

/** Asks for an amount: digits come in from the right, as at a card terminal. */
export function amount(title, text, done) {
  let cents = 0;
  const shown = make("output", { text: "$0.00" });
  const set = (value) => () => { cents = value(); shown.textContent = cents ? money(cents) : "$0.00"; };
  const digits = [..."789456123"].map((d) => [d, "", set(() => Math.min(cents * 10 + Number(d), 99_999_999))]);
  ask(title, text, [...digits, ["0", "", set(() => cents * 10)], ["00", "", set(() => cents * 100)], [say("number.clear"), "", set(() => 0)],
    [say("confirm"), "", () => { if (cents) done(cents); }, "main"]], [shown]);
}

/** Fetches what the panel reads from the record; says so where it cannot. */
export async function read(path, title) {
  ask(title, say("wait.title"), []);
  const answer = await fetch(path);
  if (answer.status === 401) location.assign("/login");
  const told = await answer.json();
  if (told.error) ask(title, refusal(told.error), []);
  return told.error ? null : told;
}

/** One thing of the table: a heading, what it is now, and its keys. */
export const card = (heading, lines, keys, cls = "") => make("article", { cls: `card ${cls}` }, make("h2", { text: heading }),
  ...lines.filter(Boolean).map((text) => (typeof text === "string" ? make("p", { text }) : text)), make("div", { cls: "keys" }, ...keys.filter(Boolean).map(key)));

const parts = {};
/** Makes a part anew only if what it shows has changed: a button must not vanish under a finger. */
export function part(id, shows, made) {
  const text = JSON.stringify(shows);
  if (parts[id] === text) return;
  parts[id] = text;
  at(id).replaceChildren(...made());
}

/** Makes a part anew the next time: what it stood in was made anew. */
export const forget = (id) => { delete parts[id]; };

/** Draws the line of all tables, one of which is looked at. */
export function tables(beat, mine) {
  const all = beat.tables ?? [];
  part("tables", all.map((t) => ({ ...t, age_ms: t.age_ms > 2500 })), () => (all.length < 2 ? [] : all.map((t) => {
    const dead = t.daemon !== "ok" || t.age_ms > 2500, stops = t.held + t.alarms;
    const says = dead ? say("tables.dead") : stops ? say("tables.stopped", { n: stops }) : t.duties ? say("tables.duties", { n: t.duties }) : t.round ? say("round", { n: t.round }) : say(t.open ? "no_round" : "closed");
    const cls = dead ? "stop" : stops ? "stop" : t.duties ? "warn" : "";
    return make("a", { cls: `key ${cls}`, ...(t.table ? { href: `${location.pathname}?table=${encodeURIComponent(t.table)}` } : {}), ...(t.table === mine ? { "aria-current": "page" } : {}) },
      make("b", { text: t.table || t.place }), make("small", { text: says }));
  })));
}
