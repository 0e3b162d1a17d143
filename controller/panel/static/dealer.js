// The dealer's view: one instruction, at most a few keys for it, the seats, and the quiet truth below.
import { ask, close, doIt, key, logout, looksAt, tryIt, view, why } from "./acts.js";
import { irregular } from "./irregular.js";
import { follow } from "./live.js";
import { now } from "./now.js";
import { seats } from "./seats.js";
import { color, draft, label, table } from "./table.js";
import { at, make, say } from "./words.js";

const PREDICATES = ["cycle_complete", "mode_shuffle", "count_right", "identities_complete", "in_turn"];
const LONG_SHOWN = 4;
const SETTLED_MS = 200;
let drawn = "";

function sets() {
  const { status } = table;
  return Object.entries(status.sets ?? {}).map(([back, set]) => {
    const state = status.round?.back === back ? "in_play" : !set.present ? "absent" : set.armed ? "armed" : ready(set) ? "waits" : "not_armed";
    const marks = PREDICATES.map((p) => {
      const [sign, word, cls] = set[p] === true ? ["✓", "yes", "ok"] : set[p] === false ? p === "in_turn" ? ["✗", "not_now", ""] : ["✗", "no", "no"] : ["–", "unknown", ""];
      return make("i", { cls }, make("span", { "aria-hidden": "true", text: sign }), ` ${say(`p.${p}`)}`, make("span", { cls: "aside", text: ` ${say(word)}` }));
    });
    return make("span", { cls: "set" }, make("b", { text: `${say("set.of", { back: color(back) })}: ${say(`set.${state}`)}` }), ...marks);
  });
}

/** All but its turn is right. */
const ready = (set) => set.in_turn === false && set.cycle_complete && set.mode_shuffle && set.count_right !== false && set.identities_complete !== false;

function deviceWords(d) {
  if (d.out) return ["state.out", false];
  if (!d.online) return ["state.away", true];
  if (d.jammed) return ["state.jammed", true];
  if (d.awaited) return ["state.awaited", true];
  if (d.levels?.lockout) return [d.levels.lockout === "engaged" ? "state.locked" : "state.open", false];
  if (d.levels?.cards_inside) return ["state.cards", false];
  return [d.levels?.dispensing === "allowed" ? "state.dispensing" : "state.ready", false];
}

function drawFoot() {
  const { status, missed } = table, rows = [];
  const add = (what, value, bad = false) => rows.push(make("span", { cls: bad ? "bad" : "", text: what + " " }, make("b", { text: value })));
  const { since, every, waived } = status.stub ?? {};
  if (every) add(say(waived ? "foot.stub.off" : "foot.stub"), waived ? say("foot.waived") : every > since ? say("foot.rounds", { n: every - since }) : say("foot.now"), !waived && every <= since);
  for (const [back, set] of Object.entries(status.sets ?? {})) if (set.due || set.change_us) add(say("foot.change", { back: color(back) }), ...due(set));
  for (const d of Object.values(status.devices ?? {})) { const [code, bad] = deviceWords(d); add(say(`device.${d.kind}`), say(code), bad); }
  add(say("foot.record"), say(status.record?.ok ? "foot.written" : "foot.failed"), !status.record?.ok);
  const broker = status.broker ?? {}, waiting = Object.values(broker.streams ?? {}).reduce((sum, s) => sum + (s.lag ?? 0), 0);
  if (broker.broker) add(say("foot.broker"), say(broker.connected ? "foot.connected" : "foot.lost", { n: waiting }), !broker.connected);
  else add(say("foot.broker"), say("foot.none"));
  if (missed) add(say("foot.missed"), say("foot.records", { n: missed }));
  at("foot").replaceChildren(...rows);
}

/** Hours and minutes to the change of a set. */
function due(set) {
  const minutes = Math.floor((set.change_us / 1000 - Date.now()) / 60000);
  if (set.due || minutes < 0) return [say("foot.now"), true];
  return [say("foot.time", { h: Math.floor(minutes / 60), m: String(minutes % 60).padStart(2, "0") }), false];
}

const parts = {};
let freshAt = 0;
/** A second tap that lands on keys which have only just come is not meant for them. */
const settled = () => performance.now() - freshAt > SETTLED_MS;
/** Makes a part anew only if what it shows has changed: a button must not vanish under a finger. */
function part(id, shows, made) {
  const text = JSON.stringify(shows);
  if (parts[id] === text) return;
  parts[id] = text;
  at(id).replaceChildren(...made());
}

function draw(next) {
  table.status = next;
  looksAt(next);
  document.body.dataset.order = next.record?.order ?? 0; // so far this screen is
  const text = JSON.stringify([next, table.missed], (k, v) => (["marks", "record", "broker", "version"].includes(k) ? undefined : v));
  drawFoot();
  if (text === drawn) return;
  if (drawn) at("said").textContent = "";
  drawn = text;
  show();
}

function show() {
  const { status } = table, { round } = status, of = [round?.round, round?.phase].join(" ");
  if (draft.of !== of) Object.assign(draft, { of, answers: {} });
  for (const n of Object.keys(draft.answers)) if (!round.stage?.waiting.includes(Number(n))) delete draft.answers[n];
  document.body.classList.remove("waiting");
  at("table").textContent = status.table ?? "–";
  at("round").textContent = round ? say("round", { n: round.number }) : status.open ? say("no_round") : say("closed");
  at("phase").textContent = !round ? "" : round.void ? say("void.round") : say(`phase.${round.phase}`);
  const what = now(), cite = [...new Set(what.cite)];
  document.body.classList.toggle("stopped", Boolean(what.stopped || round?.phase === "stopped"));
  at("do").textContent = what.title;
  at("why").textContent = what.text;
  at("clause").textContent = cite.slice(0, LONG_SHOWN).join(" · ") + (cite.length > LONG_SHOWN ? ` +${cite.length - LONG_SHOWN}` : "");
  at("clause").title = cite.join(" · ");
  const where = [status.next_act, round?.round, round?.phase, round?.stage?.waiting, status.held];
  part("keys", [what.keys, where, draft.answers], () => {
    if (!Object.keys(draft.answers).length) freshAt = performance.now();
    return what.keys.map(([words, small, on, cls]) => key([words, small, () => settled() && on(), cls]));
  });
  part("sets", [status.sets, round?.back], sets);
  part("seats", [status.seats, round?.seats, round?.stage, round?.accepted, round?.phase, status.offer?.lines, status.duties, status.last_round, draft.answers], () => seats(show, irregular));
}

/** Every act of the panel; one that cannot be done now says why. */
function more() {
  const { status } = table, backs = Object.keys(status.sets ?? {}).map((back) => ({ back }));
  const simple = { begin_round: backs, next_round: backs, new_dealer: [{}], idle_table: [{}], close_table: [{}], open_table: [{}], wagers_as_before: [{}], announce_no_more_bets: [{}],
    start_dealing: [{}], record_initial_deal: [{}], burn_card: [{}], release_lockout: [{}], settle_offered: [{}], settle_round: [{}], collect_cards: [{}], end_round: [{}],
    report_set_due: backs, bring_set: backs, take_set_away: backs };
  const keys = Object.entries(simple).flatMap(([act, all]) => all.map((args) => [label(act, args), "", async () => {
    const before = view(), told = await tryIt(act, args);
    if (told.error) ask(label(act, args), why(told.error), [[say("back"), "", more]]);
    else ask(label(act, args), say("more.can"), [[say("confirm"), "", () => { close(); doIt(act, args, before); }, "main"], [say("back"), "", more]]);
  }]));
  ask(say("more.title"), say("more.text"), keys);
}

at("irregular").addEventListener("click", () => irregular());
at("more").addEventListener("click", more);
at("logout").addEventListener("click", logout);
at("dialog-close").addEventListener("click", close);
follow(draw, (n) => { table.missed = n; });
