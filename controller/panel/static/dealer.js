// The dealer's view: one instruction, at most a few keys for it, the seats, and the quiet truth below.
import { ask, close, doIt, key, logout, looksAt, number, role, tryIt, view } from "./acts.js";
import { follow } from "./live.js";
import { at, knows, make, money, say } from "./words.js";

const RANK = ["player", "dealer", "floorperson", "supervisor"];
const PREDICATES = ["cycle_complete", "mode_shuffle", "count_right", "identities_complete", "in_turn"];
// Acts that are whole as `next_act` names them. All others need a person's word first: an amount, a count, an outcome.
const WHOLE = ["open_table", "begin_round", "announce_no_more_bets", "release_lockout", "start_dealing", "record_initial_deal", "reveal_community", "reveal_dealer",
  "settle_round", "collect_cards", "end_round", "confirm_duty", "confirm_step", "burn_card", "record_cut", "place_cutting_card", "record_shuffle", "bring_set", "take_set_away"];
const AMOUNTS = [500, 1000, 1500, 2500, 5000, 10000, 20000, 50000];
let status = {}, missed = null, drawn = "";

const name = (wager) => (knows(`wager.${wager}`) ? say(`wager.${wager}`) : wager.replaceAll("_", " ").replace(/^./, (c) => c.toUpperCase()));
const may = (least) => role === least || (RANK.includes(role) && RANK.indexOf(role) >= RANK.indexOf(least));
const can = (act) => status.allowed?.includes(act);
const label = (act, args = {}) => say(`act.${act}`, { ...args, back: args.back && say(`color.${args.back}`), step: args.step?.replaceAll("_", " ") });
const plain = (text) => (text ?? "").replace(/ \((\w+)\)\.?$/, ".").replace(/\.\.$/, ".");

/** Returns the title, the text, the clauses and the keys of what is to be done now. */
function now() {
  const next = status.next_act;
  if (status.held?.length) return held(status.held[0]);
  const stage = status.round?.stage;
  if (stage?.waiting.length) return asking(stage);
  const found = { title: plain(status.next), text: "", cite: [], keys: [] };
  const prompts = (status.prompts ?? []).filter((p) => p.act === next?.act);
  found.text = prompts.map((p) => p.text).join(" ");
  found.cite = prompts.flatMap((p) => p.cite);
  if (next?.act === "place_wager") found.text = say("wager.touch");
  if (!next) return found;
  if (!may(next.role)) found.text = `${say("needs_role", { role: say(`role.${next.role}`) })} ${found.text}`;
  const duty = (status.duties ?? []).find((d) => d.duty === next.args.duty);
  if (duty) [found.title, found.cite] = [duty.do, duty.cite ?? []];
  found.keys = keysOf(next, stage);
  return found;
}

function keysOf(next, stage) {
  const { act, args } = next, keys = [];
  if (act === "record_progressive_count") return [[label(act), "", () => number(label(act), "", (chips) => doIt(act, { chips })), "main"]];
  if (act === "record_stub_count") return [[label(act), "", () => number(label(act), "", (stub) => doIt(act, { ...args, stub })), "main"]];
  const asks = stage?.ends?.asks ?? [];
  if (act === "reveal_dealer" && asks.length) {
    for (const what of asks) for (const yes of [true, false]) keys.push([say(yes ? what : `${what}.not`), "", () => doIt(act, { [what]: yes }), yes && what === "qualifies" ? "main" : ""]);
    return keys;
  }
  const waits = status.round?.phase === "betting" && !status.round.in_play.length;
  if (can("wagers_as_before") && waits) keys.push([label("wagers_as_before"), "", () => doIt("wagers_as_before"), "main"]);
  if (can("settle_offered") && status.offer?.lines?.length) keys.push([label("settle_offered"), "", () => doIt("settle_offered"), "main"]);
  if (WHOLE.includes(act)) keys.push([label(act, args), "", () => doIt(act, args), keys.length ? "" : "main"]);
  else if (stage?.ends?.act === "settle_round") keys.push([label("settle_round"), "", () => doIt("settle_round"), ""]);
  return keys;
}

function held(hold) {
  const keys = hold.choices.map((choice, n) => [say(`resolution.${choice}`), hold.hold, () => doIt("resolve_hold", { hold: hold.hold, resolution: choice }), n ? "" : "main"]);
  const needs = may(hold.least_role) ? "" : say("needs_role", { role: say(`role.${hold.least_role}`) }) + " ";
  return { title: say("held.title"), text: needs + hold.reason, cite: hold.cite?.length ? hold.cite : [hold.reading].filter(Boolean), keys: may(hold.least_role) ? keys : [], stopped: true };
}

function asking(stage) {
  const seat = stage.waiting[0], keys = [], wagers = status.round.seats[seat]?.wagers ?? {};
  for (const { decision, multiples } of stage.answers) {
    for (const multiple of multiples.length ? multiples : [0]) {
      const text = say(`decision.${decision}`) + (multiple > 1 ? ` ${multiple}×` : "");
      const cents = (wagers.ante?.cents ?? 0) * multiple;
      keys.push([text, cents ? money(cents) : "", () => doIt("record_decision", { seat, decision, multiple }), keys.length ? "" : "main"]);
      if (can("record_decisions") && stage.waiting.length > 1 && ["check", "fold"].includes(decision)) {
        keys.push([say("rest", { answer: text }), stage.waiting.join(", "), () => doIt("record_decisions", { decision }), ""]);
      }
    }
  }
  return { title: say("ask.title", { n: seat }), text: "", cite: (status.prompts ?? []).filter((p) => p.act === "record_decision").flatMap((p) => p.cite), keys };
}

const seats = () => Array.from({ length: status.seats ?? 6 }, (_, n) => seat(n + 1));

/** Returns the cents that go back to a seat while a duty asks for it. */
const returning = (here) => (status.duties ?? []).some((d) => d.action?.startsWith("return"))
  && Object.values(here.wagers).filter((x) => x.fate === "returned").reduce((sum, x) => sum + x.cents, 0);

function seat(n) {
  const round = status.round, here = round?.seats[n], wagers = Object.entries(here?.wagers ?? {});
  const chip = round?.accepted.some(([s]) => s === n), lines = (status.offer?.lines ?? []).filter((x) => x.seat === n && (x.outcome !== "held" || x.reading));
  let cls = "seat", words = "";
  if (!wagers.length) [cls, words] = ["seat empty", say("empty")];
  else if (round.stage?.waiting[0] === n) [cls, words] = ["seat turn", say("turn")];
  else if (returning(here)) [cls, words] = ["seat turn", say("return", { money: money(returning(here)) })];
  else if (here.void) words = say("void");
  else if (here.folded) [cls, words] = ["seat done", say("folded")];
  else if (lines.length) words = lines.map((x) => `${name(x.wager)} ${say(`outcome.${x.outcome}`)}${x.paid ? " " + money(x.paid) : ""}`).join(", ");
  else if (round.stage?.waiting.includes(n)) words = say("later");
  else if (here.asked === round.phase || here.decided) [cls, words] = ["seat done", say("answered") + " ✓"];
  const rows = wagers.flatMap(([w, x]) => [
    make("dt", { text: name(w) }),
    make("dd", { text: x.outcome ? `${say(`outcome.${x.outcome}`)} ${x.returned + x.paid ? money(x.returned + x.paid) : "✓"}` : money(x.cents) + (x.fate === "live" ? "" : ` ${say(`fate.${x.fate}`)}`) }),
  ]);
  return make("button", { cls, "data-seat": n, on: () => pad(n) },
    make("h2", { text: say("seat", { n }) }, chip && make("span", { text: say("chip_on") })), make("dl", {}, ...rows), make("div", { cls: "say", text: words }));
}

/** Wagers of one seat, by touch: an amount places the game's first wagers together. */
function pad(n) {
  if (status.round?.phase !== "betting") return ask(say("seat", { n }), say("wager.closed"), []);
  const here = status.round.seats[n]?.wagers ?? {}, before = view(), rows = [];
  const taken = status.wagers.filter((w) => !w.sensed && !w.device_mode);
  for (const w of taken.filter((x) => !x.equals)) {
    const with_ = taken.filter((x) => x.equals === w.wager && !x.optional).map((x) => x.wager);
    rows.push(make("h3", { text: [w.wager, ...with_].map(name).join(" + ") }));
    if (here[w.wager]) {
      const acts = [w.wager, ...with_].reverse().filter((x) => here[x]).map((x) => ["withdraw_wager", { seat: n, wager: x }]);
      rows.push(key([say("wager.take", { wager: name(w.wager) }), money(here[w.wager].cents), () => { close(); place(acts); }]));
      continue;
    }
    const [least, most] = w.limits ?? [1, Infinity];
    const amounts = w.cents ? [w.cents] : [...AMOUNTS.filter((x) => x >= least && x <= most), 0];
    for (const cents of amounts) {
      const acts = [w.wager, ...with_].map((x) => ["place_wager", { seat: n, wager: x, cents }]);
      rows.push(key([cents ? money(cents) : say("wager.none"), "", () => { close(); place(acts); }]));
    }
  }
  ask(say("wager.pad", { n }), "", [], rows);
}
/** Each act changes its own seat, so each later one carries the view that the one before has made. */
async function place(acts) {
  for (const [act, args] of acts) {
    const lies = () => Boolean(status.round?.seats[args.seat]?.wagers[args.wager]) === (act === "place_wager");
    if (!(await doIt(act, args))) return;
    for (let tries = 0; !lies() && tries < 500; tries++) await new Promise((later) => setTimeout(later, 20));
  }
}

function sets() {
  return Object.entries(status.sets ?? {}).map(([back, set]) => {
    const state = status.round?.back === back ? "in_play" : !set.present ? "absent" : set.armed ? "armed" : "not_armed";
    const marks = PREDICATES.map((p) => {
      const [sign, word, cls] = set[p] === true ? ["✓", "yes", "ok"] : set[p] === false ? ["✗", "no", "no"] : ["–", "unknown", ""];
      return make("i", { cls, title: `${say(`p.${p}`)}: ${say(word)}`, text: `${sign} ${say(`p.${p}`)}` });
    });
    return make("span", { cls: "set" }, make("b", { text: `${say(`set.${back}`)}: ${say(`set.${state}`)}` }), ...marks);
  });
}

function deviceWords(d) {
  if (d.out) return ["state.out", false];
  if (!d.online) return ["state.away", true];
  if (d.jammed) return ["state.jammed", true];
  if (d.awaited) return ["state.awaited", true];
  if (d.levels?.lockout) return [d.levels.lockout === "engaged" ? "state.locked" : "state.open", false];
  return [d.levels?.dispensing === "allowed" ? "state.dispensing" : "state.ready", false];
}

function drawFoot() {
  const rows = [], add = (what, value, bad = false) => rows.push(make("span", { cls: bad ? "bad" : "" , text: what + " " }, make("b", { text: value })));
  const { since, every, waived } = status.stub ?? {};
  if (every) add(say("foot.stub"), waived ? say("foot.waived") : every > since ? say("foot.rounds", { n: every - since }) : say("foot.now"), !waived && every <= since);
  for (const d of Object.values(status.devices ?? {})) { const [code, bad] = deviceWords(d); add(say(`device.${d.kind}`), say(code), bad); }
  add(say("foot.record"), say(status.record?.ok ? "foot.written" : "foot.failed"), !status.record?.ok);
  const broker = status.broker ?? {}, waiting = Object.values(broker.streams ?? {}).reduce((sum, s) => sum + (s.lag ?? 0), 0);
  if (broker.broker) add(say("foot.broker"), say(broker.connected ? "foot.connected" : "foot.lost", { n: waiting }), !broker.connected);
  else add(say("foot.broker"), say("foot.none"));
  if (missed) add(say("foot.missed"), say("foot.records", { n: missed }));
  at("foot").replaceChildren(...rows);
}

const parts = {};
let fresh_at = 0;
/** A second tap that lands on keys which have only just come is not meant for them. */
const settled = () => performance.now() - fresh_at > 200;
/** Makes a part anew only if what it shows has changed: a button must not vanish under a finger. */
function part(id, shows, made) {
  const text = JSON.stringify(shows);
  if (parts[id] === text) return;
  parts[id] = text;
  at(id).replaceChildren(...made());
}

function draw(next) {
  status = next;
  looksAt(next);
  const text = JSON.stringify([next, missed], (k, v) => (["marks", "record", "broker", "version"].includes(k) ? undefined : v));
  drawFoot();
  if (text === drawn) return;
  if (drawn) at("said").textContent = "";
  drawn = text;
  document.body.classList.remove("waiting");
  at("table").textContent = next.table ?? "–";
  at("round").textContent = next.round ? say("round", { n: next.round.number }) : next.open ? say("no_round") : say("closed");
  at("phase").textContent = !next.round ? "" : next.round.void ? say("void.round") : say(`phase.${next.round.phase}`);
  const what = now();
  document.body.classList.toggle("stopped", Boolean(what.stopped || next.round?.phase === "stopped"));
  at("do").textContent = what.title;
  at("why").textContent = what.text;
  const cite = [...new Set(what.cite)];
  at("clause").textContent = cite.slice(0, 4).join(" · ") + (cite.length > 4 ? ` +${cite.length - 4}` : "");
  at("clause").title = cite.join(" · ");
  const { round } = next, where = [next.next_act, round?.round, round?.phase, round?.stage?.waiting, next.held];
  part("keys", [what.keys, where], () => { fresh_at = performance.now(); return what.keys.map(([text, small, on, cls]) => key([text, small, () => settled() && on(), cls])); });
  part("sets", [next.sets, round?.back], sets);
  part("seats", [next.seats, round?.seats, round?.stage, round?.accepted, round?.phase, next.offer?.lines, next.duties], seats);
}

/** Shows what would follow from an irregularity, then asks to confirm it. */
async function follows(trigger, seat) {
  const args = { trigger, seat, ...(trigger === "something_else" ? { note: say("trigger.something_else") } : {}) };
  const before = view(), told = await tryIt("report_irregularity", args);
  const back = [say("back"), "", irregular];
  if (told.error) return ask(say(`trigger.${trigger}`), told.error.reason + (told.error.cite?.length ? ` [${told.error.cite.join(", ")}]` : ""), [back]);
  ask(`${say("irregular.follows")}: ${say(`trigger.${trigger}`)}`, [...told.facts.map(consequence), ...decided(told.facts)].filter(Boolean).join("\n"),
    [[say("confirm"), "", () => { close(); doIt("report_irregularity", args, before); }, "main"], back]);
}
function consequence({ kind, data }) {
  const cite = data.cite?.length ? ` [${data.cite.join(", ")}]` : "";
  if (kind === "disposition_made") return `${say("f.disposition_made")}: ${data.says ?? data.trigger}${cite}`;
  if (kind === "duty_opened") return `${say("f.duty_opened")}: ${(data.action ?? "").replaceAll("_", " ")}${cite}`;
  if (kind === "hold_placed") return `${say("f.hold_placed", { role: say(`role.${data.least_role}`) })}${cite}`;
  return "";
}
/** Returns a line for each wager and fate, with all its seats. */
function decided(facts) {
  const seats = {};
  for (const { data } of facts.filter((x) => x.kind === "wager_decided")) (seats[`${data.wager} ${data.fate}`] ??= []).push(data.seat);
  return Object.entries(seats).map(([key, all]) => { const [wager, fate] = key.split(" "); return say("f.wager_decided", { wager: name(wager), seat: all.join(", "), fate: say(`fate.${fate}`) }); });
}
const OF_A_SEAT = ["wrong_count_player", "player_card_exposed", "player_left", "false_declaration", "hand_declared_void", "progressive_late", "hand_touched", "hand_hidden", "wager_late"];
function irregular() {
  const triggers = status.triggers ?? [];
  const taken = Object.keys(status.round?.seats ?? {}).map(Number);
  const chosen = (trigger) => () => OF_A_SEAT.includes(trigger)
    ? ask(say("irregular.seat"), say(`trigger.${trigger}`), taken.map((n) => [say("seat", { n }), "", () => follows(trigger, n)]))
    : follows(trigger, 0);
  ask(say("irregular.title"), say("irregular.text"), triggers.map((t) => [say(`trigger.${t}`), "", chosen(t), t === "something_else" ? "warn" : ""]));
}

/** Every act of the panel; one that cannot be done now says why. */
function more() {
  const simple = { begin_round: Object.keys(status.sets ?? {}).map((back) => ({ back })), new_dealer: [{}], idle_table: [{}], close_table: [{}], open_table: [{}],
    collect_cards: [{}], end_round: [{}], settle_round: [{}], start_dealing: [{}], record_initial_deal: [{}], announce_no_more_bets: [{}], burn_card: [{}], release_lockout: [{}],
    bring_set: Object.keys(status.sets ?? {}).map((back) => ({ back })), take_set_away: Object.keys(status.sets ?? {}).map((back) => ({ back })) };
  const keys = Object.entries(simple).flatMap(([act, all]) => all.map((args) => [label(act, args), args.back ? say(`color.${args.back}`) : "", async () => {
    const before = view(), told = await tryIt(act, args);
    if (told.error) ask(label(act, args), told.error.reason + (told.error.cite?.length ? ` [${told.error.cite.join(", ")}]` : ""), [[say("back"), "", more]]);
    else ask(label(act, args), "", [[say("confirm"), "", () => { close(); doIt(act, args, before); }, "main"], [say("back"), "", more]]);
  }]));
  ask(say("more.title"), say("more.text"), keys);
}

at("irregular").addEventListener("click", irregular);
at("more").addEventListener("click", more);
at("logout").addEventListener("click", logout);
at("dialog-close").addEventListener("click", close);
follow(draw, (n) => { missed = n; });
