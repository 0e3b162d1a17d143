// Irregularities: one touch opens the list, one says what happened and where, and what follows is read before it is confirmed.
import { ask, close, doIt, key as plainKey, tryIt, view, why } from "./acts.js";
import { brackets, color, dutyWords, listed, name, table } from "./table.js";
import { law_says, make, say } from "./words.js";

const OF_A_SEAT = ["wrong_count_player", "player_card_exposed", "player_left", "false_declaration", "hand_declared_void", "hand_touched", "hand_hidden"];
/** What may be said beside a trigger; each is a key of its own, so that nothing is asked afterwards. */
const SAID = {
  wrong_count_player: [["few", {}], ["many", { too_many: true }]],
  wrong_count_dealer: [["few", {}], ["completable", { completable: true }], ["many", { too_many: true }]],
  wrong_count_community: [["few", {}], ["many", { too_many: true }]],
  dealer_card_exposed: [["mistake", {}], ["purpose", { on_purpose: true }]],
  card_face_up: [1, 2, 3].map((n) => [`cards.${n}`, { cards: n }]),
  card_drawn_exposed: [1, 2, 3].map((n) => [`cards.${n}`, { cards: n }]),
};
const FIRST = ["something_else", "dealer_card_exposed", "player_card_exposed", "community_card_exposed", "wrong_count_player", "wrong_count_dealer", "wrong_count_community",
  "card_face_up", "card_drawn_unexposed", "card_drawn_exposed", "wager_late", "shuffler_jam", "shoe_jam"];

/** Opens the list. `seat`: what happened at this one, 0 = anywhere. */
export function irregular(seat = 0) {
  const { triggers = [], round } = table.status;
  const order = [...triggers].sort((a, b) => (FIRST.indexOf(a) + 1 || 99) - (FIRST.indexOf(b) + 1 || 99));
  const rows = order.flatMap((trigger) => row(trigger, seat)).filter(Boolean);
  ask(seat ? say("irregular.at", { n: seat }) : say("irregular.title"), say(round || seat ? "irregular.text" : "irregular.between"), [], rows, "wide");
}

function row(trigger, seat) {
  const { round, sets, seats } = table.status, at = Object.keys(round?.seats ?? {}).map(Number);
  const words = say(`trigger.${trigger}`), go = (args) => () => follows(trigger, args);
  const key = (of) => { const made = plainKey(of); made.dataset.trigger = trigger; return made; };
  if (trigger === "something_else") return [line("", [key([words, "", go({ seat, note: say("trigger.something_else") }), "warn"])])];
  if (OF_A_SEAT.includes(trigger)) {
    const where = seat ? [seat] : at;
    return (SAID[trigger] ?? [["", {}]]).map(([code, args]) => where.length > 0
      && line(words + (code ? `: ${say(`said.${code}`)}` : ""), where.map((n) => key([seat ? say("irregular.this") : String(n), "", go({ ...args, seat: n })]))));
  }
  if (trigger === "wager_late") return [line(words, (seat ? [seat] : Array.from({ length: seats }, (_, n) => n + 1)).map((n) => key([seat ? say("irregular.this") : String(n), "", go({ seat: n })])))];
  if (seat) return [];
  if (trigger === "unfit_card") return [line(words, Object.keys(sets).map((back) => key([color(back), "", go({ back })])))];
  if (trigger === "cutting_card_reached") return [line(words, [...at.map((n) => key([String(n), "", go({ seat: n })])), key([say("said.dealer"), "", go({ at_dealer: true })])])];
  const said = [...(SAID[trigger] ?? [])];
  if (trigger === "wrong_count_community" && round?.plan.some((stack) => stack.to === "six_card_box")) said.push(["box", { in_box: true }], ["box_many", { in_box: true, too_many: true }]);
  if (said.length) return [line(words, said.map(([code, args]) => key([say(`said.${code}`), "", go(args)])))];
  return [line("", [key([words, "", go({})])])];
}
const line = (words, keys) => make("div", { cls: words ? "row" : "row alone" }, words && make("span", { text: words }), make("div", {}, ...keys));

/** Shows what would follow, then asks to confirm it. */
async function follows(trigger, args) {
  const asked = { trigger, ...args }, before = view(), told = await tryIt("report_irregularity", asked), back = [say("back"), "", () => irregular()];
  const where = args.seat ? `${say("seat", { n: args.seat })}: ` : "", title = where + say(`trigger.${trigger}`);
  if (told.error) return ask(title, say("irregular.cannot", { reason: why(told.error) }), [back]);
  const lines = [...new Set([...told.facts.map(consequence), ...decided(told.facts)].filter(Boolean))];
  return ask(title, "", [[say("confirm"), "", () => { close(); doIt("report_irregularity", asked, before); }, "main"], back],
    [make("h3", { text: say("irregular.follows") }), make("ul", { id: "follows" }, ...lines.map((text) => make("li", { text })))]);
}

export function consequence({ kind, data }) {
  const cite = brackets(data.cite?.length ? data.cite : [data.reading].filter(Boolean));
  if (kind === "round_voided") return say("f.round_voided") + cite;
  if (kind === "hand_voided") return say("f.hand_voided", { n: data.seat }) + cite;
  if (kind === "disposition_made" && data.says) return law_says(data.says) + cite;
  if (kind === "duty_opened") return duty(data) + cite;
  if (kind === "hold_placed") return say("f.hold_placed", { role: say(`role.${data.least_role}`) }) + (kind === "hold_placed" && !data.cite?.length ? "" : cite);
  return "";
}
function duty(data) {
  return say("f.duty_opened", { duty: dutyWords({ do: data.action.replaceAll("_", " "), ...data }) });
}

/** Returns a line for each wager and fate, with all its seats. */
function decided(facts) {
  const seats = {};
  for (const { data } of facts.filter((x) => x.kind === "wager_decided")) (seats[`${data.wager} ${data.fate}`] ??= []).push(data.seat);
  return Object.entries(seats).map(([which, all]) => {
    const [wager, fate] = which.split(" ");
    return say("f.wager_decided", { wager: name(wager), seat: listed(all), fate: say(`fate.${fate}`) });
  });
}
