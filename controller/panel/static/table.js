// What this screen knows of the table, and words for it.
import { role } from "./acts.js";
import { core_says, knows, law_says, learn, money, say } from "./words.js";

await learn("core");

export const table = { status: {}, missed: null };
/** Answers that were touched and are not told yet: seat -> [decision, multiple]. They belong to one stage of one round. */
export const draft = { of: "", answers: {} };

const RANK = ["player", "dealer", "floorperson", "supervisor"];
export const may = (least) => role === least || (RANK.includes(role) && RANK.indexOf(role) >= RANK.indexOf(least));
export const can = (act) => table.status.allowed?.includes(act);
const plain = (word) => word.replaceAll("_", " ").replace(/^./, (c) => c.toUpperCase());
export const name = (wager) => (knows(`wager.${wager}`) ? say(`wager.${wager}`) : plain(wager));
export const color = (back) => (knows(`color.${back}`) ? say(`color.${back}`) : back);
export const step = (word) => (knows(`step.${word}`) ? say(`step.${word}`) : plain(word ?? ""));
export const label = (act, args = {}) => say(`act.${act}`, { ...args, back: args.back && color(args.back), step: args.step && step(args.step) });
export const brackets = (cite) => (cite?.length ? ` [${cite.join(", ")}]` : "");
/** Returns a sentence of the rulebook and what it rests on. */
export const prompted = (prompts) => prompts.map((p) => law_says(p.text).replace(/\.?$/, ".")).join(" ");
export const listed = (seats) => (seats.length > 2 && seats.every((n, i) => !i || Math.abs(n - seats[i - 1]) === 1)
  ? say("seats.range", { first: seats[0], last: seats.at(-1) }) : seats.join(", "));

/** Returns "seat 3" or "seats 1 to 4". */
export const seatsOf = (seats) => (seats.length > 1 ? say("seats.of", { seats: listed(seats) }) : say("seat.of", { n: seats[0] }));

/** Returns every answer of the present stage as [decision, multiple], the first one the table would expect. */
export const options = (stage) => stage.answers.flatMap(({ decision, multiples }) =>
  (multiples.length ? [...multiples].reverse() : [0]).map((multiple) => [decision, multiple]));
export const answer = ([decision, multiple]) => say(`decision.${decision}`) + (multiple > 1 ? ` ${multiple}×` : "");
/** Returns several answers in short: a decision that comes again is named once. */
export const answers = (all) => all.map((given, n) => (n && all[n - 1][0] === given[0] && given[1] > 1 ? `${given[1]}×` : answer(given))).join(say("or"));
/** Returns what an answer places at a seat, as money; "" where it places nothing. */
export function places(seat, [decision, multiple]) {
  const { round } = table.status, wagers = round.seats[seat]?.wagers ?? {};
  if (!round.stage.answers.find((x) => x.decision === decision)?.places || !multiple) return "";
  const base = (wagers.ante ?? Object.values(wagers)[0])?.cents;
  return base ? money(base * multiple) : "";
}

/** Returns the wagers of the round before that can lie again, by seat, for seats at which nothing lies. */
export function asBefore() {
  const { last_round: last, round, wagers } = table.status;
  if (round?.phase !== "betting" || !can("wagers_as_before")) return {};
  const taken = wagers.filter((w) => !w.sensed).map((w) => w.wager), found = {};
  for (const [seat, lay] of Object.entries(last?.seats ?? {})) {
    const again = Object.entries(lay).filter(([wager]) => taken.includes(wager));
    if (again.length && !Object.keys(round.seats[seat]?.wagers ?? {}).length) found[seat] = Object.fromEntries(again);
  }
  return found;
}

/** Returns the instruction of a duty: by its code with its seats and wagers, else as the table says it. */
export function dutyWords(duty) {
  const values = { back: duty.back && color(duty.back), seat: duty.seat || "", wager: duty.wager && name(duty.wager), device: duty.device };
  const code = `duty.${duty.action}`, { does = [], stay = [] } = duty.wagers ?? {};
  if (knows(code) && !does.length) return say(code, values);
  const all = { ...values, does: wagersAt(does) };
  return core_says(does.length ? `${code}.named` : code, duty.do ?? code, all) + (stay.length ? core_says("duty.stay", "", { stay: wagersAt(stay) }) : "");
}
const wagersAt = (named) => named.map((x) => say("wagers.at", { seats: seatsOf(x.seats), wagers: x.wagers.map((w) => name(w.wager) + (w.coupon ? ` + ${say("coupon")}` : "")).join(", ") })).join("; ");
/** Returns why play is held, with its seat and wager where it is about one. */
export function holdWords(hold) {
  if (knows(`hold.${hold.code}`)) return say(`hold.${hold.code}`, { seat: hold.seat, wager: hold.wager && name(hold.wager) });
  const text = core_says(`hold.${hold.code}`, knows(`trigger.${hold.code}`) && hold.code !== "something_else" ? core_says("trigger", hold.reason, { what: say(`trigger.${hold.code}`) }) : hold.reason);
  if (text === hold.reason) return text;
  return [hold.seat && say("seat", { n: hold.seat }), hold.wager && hold.wager !== "*" && name(hold.wager)].filter(Boolean).map((x) => `${x}: `).join("") + text;
}
