// What is to be done now: one instruction, verb first, its clauses, and at most a few keys.
import { ask, doIt, number } from "./acts.js";
import { answer, answers, asBefore, can, color, draft, dutyWords, holdWords, label, listed, may, name, options, prompted, seatsOf, step, table } from "./table.js";
import { core_says, knows, say } from "./words.js";

// Acts that are whole as `next_act` names them. All others need a person's word first: an amount, a count, an outcome.
const WHOLE = ["open_table", "begin_round", "announce_no_more_bets", "release_lockout", "start_dealing", "record_initial_deal", "reveal_community", "reveal_dealer",
  "settle_round", "collect_cards", "end_round", "confirm_duty", "confirm_step", "burn_card", "record_cut", "place_cutting_card", "record_shuffle", "bring_set", "take_set_away"];
const LONG_PAD = 8;

/** Returns {title, text, cite, keys, stopped}; a key is [label, small, on, cls]. */
export function now() {
  const { status } = table, next = status.next_act, stage = status.round?.stage;
  if (status.held?.length) return held(status.held[0]);
  if (stage?.waiting.length && (!next || next.act === "record_decision")) return asking(stage);
  const prompts = (status.prompts ?? []).filter((p) => p.act === next?.act);
  const found = { title: title(next), text: prompted(prompts), cite: prompts.flatMap((p) => p.cite), keys: [] };
  if (!next) return { ...found, ...waiting() };
  const duty = (status.duties ?? []).find((d) => d.duty === next.args.duty);
  if (duty) [found.title, found.cite] = [dutyWords(duty), duty.cite?.length ? duty.cite : [duty.reading].filter(Boolean)];
  if (duty && ["bets_closed", "dealing"].includes(status.round?.phase) && !status.round.void) found.text = say("duty.before");
  if (status.round?.phase === "betting") found.text = [say("wager.touch"), found.text].join(" ");
  if (may(next.role)) found.keys = keysOf(next, stage);
  else found.text = `${say("needs_role", { role: say(`role.${next.role}`) })} ${found.text}`;
  return found;
}


/** A seat has wagered, and a wager that belongs to it is missing. */
const short = (next) => next?.act === "place_wager" && Object.keys(table.status.round?.seats[next.args.seat]?.wagers ?? {}).length > 0;

function title(next) {
  if (!next) return say("wait.title");
  const { args, act } = next, code = act === "reveal_community" ? `do.${act}.${args.street}` : short(next) ? "do.place_wager.short" : `do.${act}`;
  return knows(code) ? say(code, { ...args, back: args.back && color(args.back), step: args.step && step(args.step), wager: args.wager && name(args.wager),
    seat: args.seat || say("dealer.self"), area: args.area && say(`area.${args.area}`), meter: args.meter }) : label(act, args);
}

/** No act helps: which device, or which report, play waits for. */
function waiting() {
  const { status } = table, { round } = status;
  const away = Object.entries(status.devices ?? {}).filter(([, d]) => d.awaited && !d.out).map(([n]) => n);
  if (away.length) return { title: say("wait.heard", { device: away.join(", ") }) };
  if (round?.phase === "dealing") return { title: say("wait.deal", { n: round.stacks_out, of: round.plan.length }) };
  if (round?.phase === "bets_closed" && !status.sets[round.back]?.armed) return { title: say("wait.shuffle", { back: color(round.back) }), text: shuffles() };
  if (status.to_elect?.length) return { title: say("wait.elect", { ids: status.to_elect.map((x) => x.reading).join(", ") }) };
  return { text: core_says("wait.other", (status.next ?? "").replace(/^Wait: /, "")) };
}

/** What the shuffler needs, or has. */
function shuffles() {
  const d = Object.values(table.status.devices ?? {}).find((x) => x.kind === "shuffler" && !x.out);
  return d ? say(d.levels?.cards_inside ? "wait.shuffler.works" : "wait.shuffler.empty") : "";
}

function keysOf(next, stage) {
  const { act, args } = next, { status } = table, keys = [], phase = status.round?.phase;
  const main = (words, small, on) => keys.push([words, small, on, keys.length ? "" : "main"]);
  if (act === "record_progressive_count") {
    const chips = status.round.accepted.length;
    const deals = can("count_and_deal");
    main(say("count.equal", { n: chips }), deals ? say("count.deal") : "", () => (deals ? doIt("count_and_deal", { chips }) : doIt(act, { chips })));
    main(say("count.other"), "", () => number(label(act), "", (counted) => doIt(act, { chips: counted })));
    return keys;
  }
  if (act === "record_stub_count") {
    main(label(act), "", () => number(label(act), "", (stub) => doIt(act, { ...args, stub })));
    return keys;
  }
  if (act === "record_hands_found") {
    main(label(act), "", () => number(label(act), "", (hands) => doIt(act, { hands })));
    return keys;
  }
  if (act === "reveal_dealer" && stage?.ends?.asks?.length) {
    for (const what of stage.ends.asks) for (const yes of what === "natural" ? [false, true] : [true, false]) main(say(yes ? what : `${what}.not`), "", () => doIt(act, { [what]: yes }));
    return keys;
  }
  const again = asBefore(), lies = phase === "betting" && status.round.in_play.length > 0;
  if (lies && WHOLE.includes(act)) main(label(act, args), "", () => doIt(act, args));
  if (Object.keys(again).length) {
    const where = seatsOf(Object.keys(again).map(Number));
    if (!short(next)) main(say("again.close"), where, () => doIt("wagers_as_before", { close: true }));
    main(say("again"), lies ? where : "", () => doIt("wagers_as_before"));
  }
  if (can("settle_offered") && status.offer?.lines?.length && whole(status.offer)) main(label("settle_offered"), "", () => doIt("settle_offered"));
  const after = can("next_round") && ["showdown", "settled", "stopped"].includes(phase) && (phase !== "showdown" || !keys.length) && nextSet();
  if (after && ["settle_round", "settle_wager", "collect_cards", "end_round", "record_hand", "record_meter"].includes(act)) {
    main(say(`next_round.${phase === "showdown" ? "settled" : "rack"}`), say("next_round.small", { back: color(after) }), () => doIt("next_round", { back: after }));
  }
  if (WHOLE.includes(act) && !lies) main(label(act, args), "", () => doIt(act, args));
  else if (stage?.ends?.act === "settle_round") main(label("settle_round"), "", () => doIt("settle_round"));
  return keys;
}

/** The cards tell what each wager comes to, and no person is asked. */
const whole = (offer) => !offer.refused && !offer.uncounted.length && !offer.asks.length && offer.lines.every((x) => x.outcome !== "held");
/** The set of the next round: the other one, or the same where a set is dealt on from; undefined where it is not ready yet. */
function nextSet() {
  const { sets, round, keeps_set: keeps } = table.status, fit = (set) => set.present && set.cycle_complete && set.count_right !== false && !set.due;
  if (keeps && fit(sets[round.back])) return round.back;
  return Object.keys(sets).find((back) => back !== round.back && sets[back].present && sets[back].armed);
}

function held(hold) {
  const mine = may(hold.least_role);
  const keys = !mine ? [] : hold.choices.map((choice, n) => [say(`resolution.${choice}`), hold.hold, () => doIt("resolve_hold", { hold: hold.hold, resolution: choice }), n ? "" : "main"]);
  return { title: mine ? say("held.title") : say("held.call", { role: say(`role.${hold.least_role}`) }), text: holdWords(hold),
    cite: hold.code === "something_else" ? [] : hold.cite?.length ? hold.cite : [hold.reading].filter(Boolean), keys, stopped: true };
}

/** All who wait are asked together: seats that answer otherwise are touched, one key tells the rest, and the next cards. */
function asking(stage) {
  const { status } = table, { round } = status, told = stage.waiting.filter((seat) => draft.answers[seat]);
  const rest = stage.waiting.filter((seat) => !draft.answers[seat]), all = options(stage);
  const show = !round.burn_due && (stage.ends?.act === "reveal_community" ? !stage.ends.from_deck : stage.ends?.act === "reveal_dealer" && !stage.ends.asks.length && dealt());
  const small = show ? say(`show.${stage.ends.street ?? "dealer"}`) : "";
  const line = (given) => [...told.map((seat) => said(seat, draft.answers[seat])), ...(given ? [said("rest", given)] : [])].join(", ");
  const tell = (given) => () => doIt("record_decisions", { line: line(given), ...(show && { show }) });
  const words = told.length ? "rest" : "all";
  let keys = all.slice(0, 4).map((given, n) => [say(words, { answer: answer(given) }), small, tell(given), n ? "" : "main"]);
  if (!rest.length) keys = [[say("told"), small, tell(null), "main"]];
  const prompts = (status.prompts ?? []).filter((p) => p.act === "record_decision");
  return { title: say(stage.waiting.length > 1 ? "ask.all" : "ask.one", { seats: listed(stage.waiting), answers: answers(all) }),
    text: [rest.length && (stage.waiting.length > 1 || all.length > 4) ? say("ask.touch") : "", prompted(prompts)].join(" "), cite: prompts.flatMap((p) => p.cite), keys };
}
/** The dealer's cards are out of the device. */
const dealt = () => table.status.round.stacks_out >= table.status.round.plan.length || !Object.values(table.status.devices).some((d) => d.levels?.cards_inside);
const said = (who, [decision, multiple]) => `${who} ${decision}${multiple ? ` ${multiple}` : ""}`;

/** The next answer of a seat in the round of touches: each answer once, then none. */
export function turn(seat, stage) {
  const [first, ...others] = options(stage), order = [...others, first];
  const at = order.findIndex(([d, m]) => d === draft.answers[seat]?.[0] && m === draft.answers[seat]?.[1]);
  if (at + 1 < order.length) draft.answers[seat] = order[at + 1];
  else delete draft.answers[seat];
}

/** Where a stage has more answers than a few touches reach, all stand in one list. */
export function choose(seat, stage, done) {
  ask(say("seat", { n: seat }), "", options(stage).map((given) => [answer(given), "", () => { draft.answers[seat] = given; done(); }]));
}
export const manyAnswers = (stage) => options(stage).length > LONG_PAD / 2;
