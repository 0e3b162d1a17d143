// The seats: what lies there, what the cards make of it, and what a touch of a seat does.
import { ask, close, doIt, key, view } from "./acts.js";
import { choose, manyAnswers, turn } from "./now.js";
import { answer, asBefore, draft, name, places, table } from "./table.js";
import { make, money, say } from "./words.js";

const AMOUNTS = [500, 1000, 1500, 2500, 5000, 10000, 20000, 50000];

export const seats = (redraw, irregular) => Array.from({ length: table.status.seats ?? 6 }, (_, n) => seat(n + 1, redraw, irregular));

/** Returns the cents that go back to a seat while a duty asks for it. */
const returning = (here) => (table.status.duties ?? []).some((d) => d.action?.startsWith("return"))
  && Object.values(here.wagers).filter((x) => x.fate === "returned").reduce((sum, x) => sum + (x.cents ?? 0), 0);

/** Returns the class of a seat and the words at its foot. */
function words(n, here, again, lines) {
  const { round } = table.status, waits = table.status.held?.length ? [] : round?.stage?.waiting ?? [], told = draft.answers[n];
  if (again) return ["seat before", say("again.seat")];
  if (!Object.keys(here?.wagers ?? {}).length) return ["seat empty", say("empty")];
  if (waits.includes(n) && told) return ["seat told", `${answer(told)} ${places(n, told)}`];
  if (waits[0] === n) return ["seat turn", say("turn")];
  if (returning(here)) return ["seat turn", say("return", { money: money(returning(here)) })];
  if (here.void) return ["seat", say("void")];
  if (here.folded) return ["seat done", say("folded")];
  if (lines.length) return ["seat", comesTo(lines)];
  if (waits.includes(n)) return ["seat", say("later")];
  if (here.asked === round.phase || here.decided) return ["seat done", say("answered") + " ✓"];
  return ["seat", ""];
}

function seat(n, redraw, irregular) {
  const { round, offer } = table.status, here = round?.seats[n], again = asBefore()[n];
  const chip = round?.accepted.some(([s]) => s === n), lines = (offer?.lines ?? []).filter((x) => x.seat === n && (x.outcome !== "held" || x.reading));
  const [cls, say_] = words(n, here, again, lines);
  const rows = Object.entries(again ?? here?.wagers ?? {}).flatMap(([w, x]) => [make("dt", { text: name(w) }), make("dd", { text: offered(lines.find((line) => line.wager === w)) ?? amount(x, again, here && returning(here)) })]);
  return make("button", { cls, "data-seat": n, on: () => touched(n, redraw, irregular) },
    make("h2", { text: say("seat", { n }) }, chip && !here?.wagers.progressive && make("span", { text: say("chip_on") })), make("dl", {}, ...rows), make("div", { cls: "say", text: say_ }));
}

/** What the cards make of a wager: + what it is paid, - what is collected, else its outcome. */
const offered = (line) => line && (line.paid ? `+${money(line.paid)}` : line.outcome === "lose" && line.stake ? `\u2212${money(line.stake)}` : say(`outcome.${line.outcome}`));
/** What the dealer does at a seat: pays, or collects alone. */
function comesTo(lines) {
  const paid = lines.reduce((sum, line) => sum + line.paid, 0);
  return paid ? say("seat.pays", { money: money(paid) }) : lines.some((line) => line.outcome === "lose") ? say("seat.collects") : "";
}

function amount(x, again, returned) {
  if (again || (returned && x.fate === "returned")) return money(x.cents);
  if (x.outcome) return `${say(`outcome.${x.outcome}`)} ${x.returned + x.paid ? money(x.returned + x.paid) : "✓"}`;
  return money(x.cents) + (x.fate === "live" ? "" : ` ${say(`fate.${x.fate}`)}`);
}

function touched(n, redraw, irregular) {
  const { round } = table.status, stage = round?.stage;
  if (round?.phase === "betting") return pad(n);
  if (!stage?.waiting.includes(n) || !Object.keys(round.seats[n]?.wagers ?? {}).length) return irregular(n);
  if (manyAnswers(stage)) return choose(n, stage, () => { close(); redraw(); });
  turn(n, stage);
  return redraw();
}

/** Wagers of one seat: an amount places the game's first wagers together, in place of what lies there. */
function pad(n) {
  const { round, wagers } = table.status, lies = round.seats[n]?.wagers ?? {}, rows = [];
  const taken = wagers.filter((w) => !w.sensed && !w.device_mode);
  const back = (names) => [...names].reverse().filter((x) => lies[x]).map((x) => ["withdraw_wager", { seat: n, wager: x }]);
  for (const w of taken.filter((x) => !x.equals)) {
    const group = [w.wager, ...taken.filter((x) => x.equals === w.wager && !x.optional).map((x) => x.wager)];
    const beside = w.optional ? [] : Object.keys(lies).filter((x) => !group.includes(x)); // what needs these wagers goes back first
    rows.push(make("h3", { text: group.map(name).join(" + ") }));
    const [least, most] = w.limits ?? [1, Infinity], again = (lays) => ["place_wager", { seat: n, wager: lays, cents: lies[lays].cents ?? 0 }];
    for (const cents of w.cents ? [w.cents] : [...AMOUNTS.filter((x) => x >= least && x <= most), 0]) {
      const acts = [...back([...group, ...beside]), ...group.map((x) => ["place_wager", { seat: n, wager: x, cents }]), ...beside.filter((x) => taken.some((t) => t.wager === x)).map(again)];
      rows.push(key([cents ? money(cents) : say("wager.none"), "", () => { close(); place(acts); }]));
    }
    if (lies[w.wager] && w.optional) rows.push(key([say("wager.take", { wager: name(w.wager) }), "", () => { close(); place(back(group)); }]));
  }
  if (Object.keys(lies).length) rows.push(key([say("wager.all"), "", () => { close(); place(back(Object.keys(lies).filter((x) => taken.some((t) => t.wager === x)))); }, "warn"]));
  ask(say("wager.pad", { n }), "", [], rows);
}

/** Each act changes its own seat, so each later one carries the view that the one before has made. */
async function place(acts) {
  for (const [act, args] of acts) {
    const lies = () => Boolean(table.status.round?.seats[args.seat]?.wagers[args.wager]) === (act === "place_wager");
    if (!(await doIt(act, args, view()))) return;
    for (let tries = 0; !lies() && tries < 500; tries++) await new Promise((later) => setTimeout(later, 20));
  }
}
