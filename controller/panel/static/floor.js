// The floor's view: what waits for this person, then everything of the table that the floor decides.
import { ask, close, key, logout, looksAt } from "./acts.js";
import { follow, query } from "./live.js";
import { now } from "./now.js";
import { amount, card, color, confirmIt, may, name, part, read, second, set, tables, whyNot, words } from "./steps.js";
import { dutyWords, holdWords, step, table } from "./table.js";
import { at, core_says, ENGLISH, knows, law_says, learn, make, money, say } from "./words.js";

await learn("office");
let status = {}, not_now = [];
const can = (act) => status.allowed?.includes(act);
const cited = (thing) => [...(thing.cite ?? []), ...(thing.reading ? [thing.reading] : [])].join(" · ");
const role = (r) => say(`role.${r}`);
const needs = (least) => (may(least) ? "" : say("needs_role", { role: role(least) }));

/** A key for an act that may be done now; any other one says why when it is asked for. */
function act(kind, text, on, args = {}, cls = "") {
  if (can(kind)) return [text, "", on, cls];
  not_now.push([kind, text, args]);
  return null;
}
const sure = (kind, args, text) => () => confirmIt(kind, args, text);
const plain = (kind, args, text) => act(kind, text, sure(kind, args, text), args);

function waits() {
  const found = [];
  for (const h of status.held ?? []) {
    const keys = (h.choices ?? []).map((choice, n) => [say(`resolution.${choice}`), "", sure("resolve_hold", { hold: h.hold, resolution: choice }, say(`resolution.${choice}`)), n ? "" : "main"]);
    found.push(card(`■ ${say("floor.hold")} ${h.hold ?? ""}`, [holdWords(h), needs(h.least_role), cited(h)], keys, "stop"));
  }
  for (const d of status.duties ?? []) {
    const done = say("floor.duty.done");
    const two = [say("second.do"), role(d.least_role), () => second("confirm_duty", { duty: d.duty }, done)];
    found.push(card(`▲ ${ENGLISH ? d.do : dutyWords(d)}`, [needs(d.least_role), cited(d)], [[done, d.duty, sure("confirm_duty", { duty: d.duty }, ENGLISH ? d.do : dutyWords(d)), "main"], !may(d.least_role) && two], "warn"));
  }
  for (const d of status.disputes ?? []) found.push(dispute(d));
  for (const a of status.alarms ?? []) {
    const text = knows(`alarm.${a.reason}`) ? say(`alarm.${a.reason}`) : core_says(`device.${a.reason}`, a.reason.replaceAll("_", " "));
    found.push(card(`■ ${say("floor.alarm")} ${a.alarm} · ${a.device}`, [text, a.detail, say("alarm.seen", { by: a.seen.join(", ") || say("nobody"), n: a.times })], [
      plain("see_alarm", { alarm: a.alarm }, say("act.see_alarm")),
      act("clear_alarm", say("act.clear_alarm"), () => words(say("act.clear_alarm"), text, ["often.alarm.looked", "often.alarm.work"], (found) => confirmIt("clear_alarm", { alarm: a.alarm, found }, say("act.clear_alarm"))), { alarm: a.alarm }),
    ], "stop"));
  }
  const next = status.next_act;
  if (!status.held?.length) found.push(prepares(next, found.length));
  return found;
}
/** What the table waits for: with a key where it is a step of the floor. */
function prepares(next, more) {
  const what = now();
  const label = next && say(`act.${next.act}`, { ...next.args, back: next.args.back && color(next.args.back), step: next.args.step && step(next.args.step) });
  const other = next?.act === "confirm_step" && [say("second.do"), role(next.role), () => second(next.act, next.args, label)];
  const mine = next && ["open_table", "bring_set", "confirm_step"].includes(next.act);
  return card(more ? say("floor.next") : `✓ ${say("floor.nothing")}`, [ENGLISH ? (status.next ?? "").replace(/ \((\w+)\)\.?$/, ".").replace(/\.\.$/, ".") : [what.title, next ? "" : what.text].filter(Boolean).join(". ")], mine ? [plain(next.act, next.args, label), other] : []);
}

function dispute(d) {
  const id = { dispute: d.dispute }, mark = d.bookmark;
  const close_it = () => words(say("act.close_dispute"), d.reason, ["often.found.right", "often.found.corrected"], (found) => confirmIt("close_dispute", { ...id, found }, say("act.close_dispute")));
  const allow = () => ask(say("act.allow_clearing"), say("dispute.what"), [...Object.keys(status.devices ?? {}), ...Object.keys(status.sets ?? {})].map((what) => [what, "", () =>
    words(`${say("act.allow_clearing")}: ${what}`, say("dispute.why"), ["often.clear.danger", "often.clear.jam"], (reason) => confirmIt("allow_clearing", { ...id, what, reason }, say("act.allow_clearing")))]));
  const bookmark = () => words(say("act.name_bookmark"), say("dispute.bookmark"), ["often.camera"], (reference) => {
    const now = Date.now() * 1000;
    confirmIt("name_bookmark", { ...id, reference: reference.slice(0, 100), begins_us: now - 300_000_000, ends_us: now }, say("act.name_bookmark"));
  });
  return card(`■ ${say("floor.dispute")} ${d.dispute} · ${d.seat ? say("seat", { n: d.seat }) : d.round}`, [d.reason, mark ? `${say("dispute.pictures")}: ${mark.reference}` : say("dispute.no_pictures"), d.keeps && say("dispute.keeps")], [
    act("name_bookmark", say("act.name_bookmark"), bookmark, id, mark ? "" : "main"), d.keeps && act("allow_clearing", say("act.allow_clearing"), allow, id), act("close_dispute", say("act.close_dispute"), close_it, id),
    [say("evidence.file"), d.round, () => evidence(d.round)]], "stop");
}

const PREDICATES = ["cycle_complete", "mode_shuffle", "count_right", "identities_complete", "in_turn"];
function sets() {
  return Object.entries(status.sets ?? {}).map(([back, lies]) => {
    const state = status.round?.back === back ? "in_play" : !lies.present ? "absent" : lies.armed ? "armed" : "not_armed";
    const signs = PREDICATES.map((p) => `${lies[p] === true ? "✓" : lies[p] === false ? "✗" : "–"} ${say(`p.${p}`)}`).join("  ");
    const due = lies.due ? say("floor.set.due") : "";
    return card(`${set(back)}: ${say(`set.${state}`)}`, [signs, due, lies.out_of_turn && core_says("out_of_turn", lies.out_of_turn)], [
      plain("bring_set", { back }, say("floor.set.in")), lies.present && plain("take_set_away", { back }, say("floor.set.out")),
      lies.present && plain("direct_shuffle", { back }, say("act.direct_shuffle")), lies.present && plain("recut", { back }, say("act.recut")), lies.present && plain("report_set_due", { back }, say("floor.set.over")),
      [say("floor.suspect"), say("floor.suspect.small"), () => suspect(back), "warn"]]);
  });
}
async function suspect(back) {
  const title = `${set(back)}: ${say("floor.suspect")}`, told = await read(`/past/set${query({ set: back })}`, title);
  if (!told) return;
  const since = told.since ? say("suspect.since", { time: clock(told.since.time) }) : say("suspect.never");
  const rounds = told.rounds.map((r) => r.number).join(", ") || say("none");
  ask(title, `${since}\n${say("suspect.rounds", { n: told.rounds.length })}: ${rounds}`, [
    act("take_set_away", say("floor.set.out"), sure("take_set_away", { back }, say("floor.set.out")), { back }),
    act("direct_shuffle", say("act.direct_shuffle"), sure("direct_shuffle", { back }, say("act.direct_shuffle")), { back }),
    act("report_irregularity", say("trigger.unfit_card"), sure("report_irregularity", { trigger: "unfit_card", back }, say("trigger.unfit_card"))),
    told.rounds.length && [say("act.raise_dispute"), "", () => raise(told.rounds.at(-1).round)],
  ].filter(Boolean), told.rounds.slice(-4).map((r) => save(r.round, r.number)));
}
const clock = (time) => new Date(time).toLocaleString(document.documentElement.lang, { hour12: false });

function devices() {
  return Object.entries(status.devices ?? {}).map(([device, d]) => {
    const state = d.out ? say(`out.${d.out}`) : !d.online ? say("state.away") : d.jammed ? say("state.jammed") : say("state.ready");
    const back = say("act.return_device"), out = say("act.take_device_out");
    const how = () => ask(`${out}: ${device}`, say("out.how"), ["removed", "covered", "signed"].flatMap((h) => [true, false].map((failed) =>
      [say(`out.${h}`), say(failed ? "out.failed" : "out.sound"), sure("take_device_out", { device, how: h, failed }, `${out}: ${device}`)])));
    return card(`${say(`device.${d.kind}`)} ${device}`, [state], [
      d.out ? act("return_device", back, sure("return_device", { device }, `${back}: ${device}`), { device }) : act("take_device_out", out, how, { device, how: "covered" })], d.out || d.online && !d.jammed ? "" : "stop");
  });
}

function method() {
  const change = say("act.change_method");
  const choose = () => ask(change, say("method.now", { method: say(`method.${status.method}`) }), ["hand", "manual_shoe", "dealing_shoe", "shuffler"].filter((m) => m !== status.method)
    .map((m) => [say(`method.${m}`), "", () => confirmIt("change_method", { method: m }, `${change}: ${say(`method.${m}`)}`, choose)]));
  return card(say("floor.table"), [say("method.now", { method: say(`method.${status.method}`) })], [
    status.open ? plain("close_table", {}, say("act.close_table")) : plain("open_table", {}, say("act.open_table")), act("change_method", change, choose, { method: "hand" }), plain("new_dealer", {}, say("act.new_dealer")),
    [say("floor.law"), say("floor.law.small"), law]]);
}
async function law() {
  const told = await read(`/past/law${query()}`, say("floor.law"));
  const rows = (told ?? []).map((r) => make("p", { cls: "law" }, make("b", { text: `${r.reading}: ${r.choice.replaceAll("_", " ")}` }), make("span", { text: ` (${r.by}) ` }), make("span", { text: law_says(r.problem) })));
  if (told) ask(say("floor.law"), status.rulebook ? `${status.rulebook.id} ${status.rulebook.edition}` : "", [], rows);
}

const round_seats = () => (status.round ? [["", status.round.seats]] : status.last_round ? [[status.last_round.round, status.last_round.seats]] : []);
const seats_with = (wager) => round_seats().flatMap(([round, seats]) => Object.entries(seats).filter(([, s]) => (s.wagers ?? s)[wager]).map(([n]) => [round, Number(n)]));

function money_things() {
  const validate = say("act.validate_progressive"), seats = seats_with("progressive");
  const light = (round, seat) => ask(`${validate}: ${say("seat", { n: seat })}`, say("validate.light"), [true, false].map((on) =>
    [say(on ? "validate.on" : "validate.off"), "", sure("validate_progressive", { seat, light_on: on, round }, `${validate}: ${say("seat", { n: seat })}`)]));
  const mismatch = say("trigger.progressive_mismatch"), correct = say("act.correct_settlement");
  return card(say("floor.money"), [status.round ? say("round", { n: status.round.number }) : status.last_round ? `${say("floor.last")}: ${status.last_round.round}` : ""], [
    seats.length && act("validate_progressive", validate, () => ask(validate, say("validate.seat"), seats.map(([r, n]) => [say("seat", { n }), "", () => light(r, n)])), { seat: 1, light_on: true }),
    status.triggers?.includes("progressive_mismatch") && act("report_irregularity", mismatch, sure("report_irregularity", { trigger: "progressive_mismatch" }, mismatch)),
    act("correct_settlement", correct, resettle, { seat: 1, wager: "ante", outcome: "push", reason: "-" }),
    act("raise_dispute", say("act.raise_dispute"), () => raise(""), { reason: "-" }), [say("evidence.file"), say("evidence.two"), () => evidence()]]);
}
/** A wager comes to something else than was settled: seat, wager, outcome, amount, why. */
function resettle() {
  const title = say("act.correct_settlement");
  const rows = round_seats().flatMap(([round, seats]) => Object.entries(seats).flatMap(([n, s]) => Object.entries(s.wagers ?? s).map(([wager, w]) =>
    [`${say("seat", { n })} · ${name(wager)}`, `${money(w.cents)} ${w.outcome ? say(`outcome.${w.outcome}`) : say(`fate.${w.fate}`)}`, () => outcome({ round, seat: Number(n), wager })])));
  const why = (args) => words(title, say("correct.why"), ["often.correct.misread", "often.correct.paid", "often.correct.rule"], (reason) => confirmIt("correct_settlement", { ...args, reason }, title));
  const outcome = (args) => ask(title, `${say("seat", { n: args.seat })} · ${name(args.wager)}`, ["win", "lose", "push"].map((o) => [say(`outcome.${o}`), "", () =>
    (o === "win" ? amount(title, say("correct.paid"), (paid) => why({ ...args, outcome: o, paid })) : why({ ...args, outcome: o }))]));
  ask(title, rows.length ? say("correct.which") : say("none"), rows);
}
function raise(round) {
  const title = say("act.raise_dispute"), seats = Object.keys(round_seats()[0]?.[1] ?? {}).map(Number);
  const why = (seat) => words(title, seat ? say("seat", { n: seat }) : say("dispute.noseat"), ["often.dispute.paid", "often.dispute.cards", "often.dispute.wager"], (reason) => confirmIt("raise_dispute", { reason, seat, round }, title));
  ask(title, say("dispute.seat"), [...seats.map((n) => [say("seat", { n }), "", () => why(n)]), [say("dispute.noseat"), "", () => why(0)]]);
}
const save = (round, text = round) => make("a", { cls: "key main", href: `/past/evidence${query({ round })}`, download: "", text: `${say("evidence.save")} ${text}` });
function evidence(round) {
  const rounds = round ? [round] : [status.round?.round, status.last_round?.round].filter(Boolean);
  ask(say("evidence.file"), rounds.length ? say("evidence.text") : say("none"), [], rounds.map((r) => save(r)));
}

function refused_now() {
  const all = [...new Map(not_now.map((x) => [x[1] + JSON.stringify(x[2]), x])).values()];
  ask(say("floor.not_now"), say("more.text"), all.map(([kind, text, args]) => [text, args.back ? color(args.back) : args.device ?? "", () => whyNot(kind, args, text, refused_now)]));
}

function draw(next) {
  status = table.status = next;
  looksAt(next);
  document.body.classList.remove("waiting");
  document.body.classList.toggle("stopped", Boolean(next.held?.length));
  at("table").textContent = next.table ?? "–";
  at("round").textContent = next.round ? say("round", { n: next.round.number }) : say(next.open ? "no_round" : "closed");
  at("phase").textContent = !next.round ? "" : next.round.void ? say("void.round") : say(`phase.${next.round.phase}`);
  const all = JSON.stringify(next, (k, v) => (["marks", "record", "broker", "version", "offer", "prompts"].includes(k) ? undefined : v));
  part("waits", [next.held, next.duties, next.disputes, next.alarms, next.next, next.next_act, next.allowed], () => waits());
  part("things", all, () => { not_now = []; const made = [money_things(), ...sets(), ...devices(), method()]; return [...made, card(say("floor.not_now"), [], [[say("floor.not_now.open"), "", refused_now]])]; });
}

at("logout").addEventListener("click", logout);
at("dialog-close").addEventListener("click", close);
follow(draw, () => {}, (beat) => tables(beat, status.table));
