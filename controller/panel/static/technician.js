// The technician's view: each device with its link, its proof and its counters; the record; the configuration.
import { ask, close, logout, looksAt } from "./acts.js";
import { follow, query } from "./live.js";
import { card, confirmIt, forget, part, read, tables, words } from "./steps.js";
import { at, core_says, knows, law_says, learn, make, say } from "./words.js";

await learn("office");
let status = {}, links = {};
const can = (act) => status.allowed?.includes(act);
const sure = (kind, args, text) => () => confirmIt(kind, args, text);
const rows = (...pairs) => make("dl", {}, ...pairs.filter(([, value]) => value !== undefined && value !== null && value !== "").flatMap(([what, value]) => [make("dt", { text: say(what) }), make("dd", { text: String(value) })]));
const yes = (value) => (value === undefined || value === null ? say("unknown") : say(value ? "tech.yes" : "tech.no"));

function device([device, d]) {
  const out = say("tech.test"), back = say("act.return_device");
  const state = d.out ? `◆ ${say("tech.testing")} (${say(`out.${d.out}`)})` : d.jammed ? `■ ${say("state.jammed")}` : d.online ? `✓ ${say("state.ready")}` : `■ ${say("state.away")}`;
  const how = () => ask(`${out}: ${device}`, say("tech.test.text"), ["covered", "signed", "removed"].map((h, n) => [say(`out.${h}`), "", sure("take_device_out", { device, how: h, failed: false }, `${out}: ${device}`), n ? "" : "main"]));
  const made = card(`${say(`device.${d.kind}`)} ${device}`, [state], [
    d.out ? can("return_device") && [back, "", sure("return_device", { device }, `${back}: ${device}`), "main"] : can("take_device_out") && [out, "", how],
  ], d.out ? "warn" : d.online && !d.jammed ? "" : "stop");
  made.append(make("div", { id: `link-${device}` }));
  return made;
}
/** What changes each second stands below the keys, in a part of its own. */
function link([device, d]) {
  const link = links[device] ?? {}, levels = pairs(Object.fromEntries(Object.entries(d.levels ?? {}).map(([k, v]) => [k, ["wagers", "lamps"].includes(k) ? seats(v) : v]))), counters = pairs(link.counters, (n) => n);
  const proven = link.measured_s === null || link.measured_s === undefined ? say("tech.not_measured") : say("tech.measured", { s: Math.round(link.measured_s / 10) * 10 });
  return [rows(["tech.link", knows(`link.${link.state}`) ? say(`link.${link.state}`) : link.state], ["tech.reason", link.reason && core_says(`device.${link.reason}`, `${link.reason.replaceAll("_", " ")} ${link.detail ?? ""}`)],
    ["tech.serial", d.serial], ["tech.path", link.path], ["tech.firmware", link.firmware], ["tech.hash", link.firmware_sha256?.slice(0, 16)], ["tech.authenticated", yes(link.authenticated)], ["tech.approved", proven],
    ["tech.levels", levels], ["tech.counters", counters || "0"], ["tech.recording", pairs(link.recording) || say("tech.no")])];
}
/** Returns the seats of a level that has a bit for each. */
const seats = (bits) => (bits ? Array.from({ length: 15 }, (_, n) => n + 1).filter((n) => bits & (1 << (n - 1))).join(" ") : say("none"));
const pairs = (all, wanted = () => true) => Object.entries(all ?? {}).filter(([, v]) => wanted(v)).map(([k, v]) => `${k.replaceAll("_", " ")} ${v ?? say("unknown")}`).join(", ");

function alarms() {
  return (status.alarms ?? []).map((a) => {
    const text = knows(`alarm.${a.reason}`) ? say(`alarm.${a.reason}`) : core_says(`device.${a.reason}`, a.reason.replaceAll("_", " ")), clear = say("act.clear_alarm");
    return card(`■ ${say("floor.alarm")} ${a.alarm} · ${a.device}`, [text, a.detail, say("alarm.seen", { by: a.seen.join(", ") || say("nobody"), n: a.times })], [
      can("see_alarm") && [say("act.see_alarm"), "", sure("see_alarm", { alarm: a.alarm }, say("act.see_alarm")), "main"],
      can("clear_alarm") && [clear, say("role.supervisor"), () => words(clear, text, ["often.alarm.looked", "often.alarm.work"], (found) => confirmIt("clear_alarm", { alarm: a.alarm, found }, clear))]], "stop");
  });
}

function health() {
  const { record = {}, broker = {} } = status, heads = Object.entries(record.heads ?? {}).map(([s, n]) => `${s} ${n}`).join(", ");
  const waiting = Object.values(broker.streams ?? {}).reduce((sum, s) => sum + (s.lag ?? 0), 0);
  const wrong = !record.ok || record.room;
  return card(`${wrong ? "■" : "✓"} ${say("tech.health")}`, [record.reason, record.room,
    rows(["foot.record", say(record.ok ? "foot.written" : "foot.failed")], ["tech.heads", heads], ["tech.journal", record.journal], ["tech.kept", record.kept ? record.kept.problem || say("tech.kept.ok") : say("none")],
      ["foot.broker", broker.broker ? say(broker.connected ? "foot.connected" : "foot.lost", { n: waiting }) : say("foot.none")], ["tech.version", status.version], ["tech.rulebook", status.rulebook && `${status.rulebook.id} ${status.rulebook.edition}`])],
  [[say("tech.check"), "", check], [say("floor.law"), "", law]], wrong ? "stop" : "");
}
async function check() {
  const told = await read(`/check${query()}`, say("tech.check"));
  if (!told) return;
  const list = (code, lines) => (lines.length ? [make("h3", { text: say(code) }), ...lines.map((text) => make("p", { cls: "law", lang: "en", text }))] : []);
  ask(say("tech.check"), `${told.sound ? "✓" : "■"} ${say(told.sound ? "check.sound" : "check.faults", { n: told.faults.length })}\n${say("check.alone")}`, [],
    [...list("check.faults.title", told.faults), ...list("check.warnings", told.warnings), ...list("check.notes", told.notes), ...list("check.unproved", told.not_provable)]);
}
async function law() {
  const told = await read(`/past/law${query()}`, say("floor.law"));
  if (told) ask(say("floor.law"), "", [], told.map((r) => make("p", { cls: "law" }, make("b", { text: `${r.reading}: ${r.choice.replaceAll("_", " ")} ` }), make("span", { text: law_says(r.problem) }))));
}

function show() {
  const all = Object.entries(status.devices ?? {}), play = all.map(([name, d]) => [name, d.kind, d.out, d.online, d.jammed]);
  part("waits", [status.alarms, status.record?.ok, status.record?.room, status.record?.kept?.problem, status.broker?.connected, status.allowed], () => [...alarms(), health()]);
  part("things", [play, status.allowed], () => { all.forEach(([name]) => forget(`link-${name}`)); return all.map(device); });
  for (const one of all) part(`link-${one[0]}`, [one, links[one[0]]], () => link(one));
}
function draw(next) {
  status = next;
  looksAt(next);
  document.body.classList.remove("waiting");
  at("table").textContent = next.table ?? "–";
  at("round").textContent = next.round ? say("round", { n: next.round.number }) : say(next.open ? "no_round" : "closed");
  show();
}
function beat(told) {
  tables(told, status.table);
  links = told.links ?? {};
  show();
}

at("logout").addEventListener("click", logout);
at("dialog-close").addEventListener("click", close);
follow(draw, () => {}, beat);
