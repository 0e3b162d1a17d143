// The last rounds: hands as they lay, what each wager came to, and the records behind them.
import { close, logout, looksAt, refusal } from "./acts.js";
import { follow, query } from "./live.js";
import { name, part, set, tables } from "./steps.js";
import { at, make, money, say } from "./words.js";

const SUITS = { c: "♣", d: "♦", h: "♥", s: "♠" };
let status = {}, wanted = { set: "", seat: "", device: "" }, chosen = "", newest = "";
const clock = (time) => (time ? new Date(time).toLocaleTimeString(document.documentElement.lang, { hour12: false }) : say("past.in_play"));

function filters() {
  const pick = (what, values, label) => make("div", { role: "group", "aria-label": say(`past.by.${what}`) }, ...["", ...values].map((value) =>
    make("button", { text: value === "" ? say(`past.all.${what}`) : label(value), "aria-pressed": String(wanted[what] === value), on: () => { wanted = { ...wanted, [what]: value }; load(); } })));
  return [pick("set", Object.keys(status.sets ?? {}), (v) => set(v)), pick("seat", Array.from({ length: status.seats ?? 6 }, (_, n) => String(n + 1)), (n) => n), pick("device", Object.keys(status.devices ?? {}), (v) => v)];
}

async function get(path) {
  const answer = await fetch(path);
  if (answer.status === 401) location.assign("/login");
  const told = await answer.json();
  at("said").textContent = told.error ? refusal(told.error) : "";
  return told.error ? null : told;
}
async function load() {
  const told = await get(`/past/rounds${query(wanted)}`);
  part("filters", [status.sets && Object.keys(status.sets), status.seats, Object.keys(status.devices ?? {}), wanted], filters);
  if (!told) return;
  part("rounds", [told, chosen], () => (told.length ? told.map(row) : [make("p", { text: say("past.none") })]));
  if (!told.some((r) => r.round === chosen)) lay(told[0]?.round);
}
function row(r) {
  return make("button", { "aria-pressed": String(r.round === chosen), "data-round": r.round, on: () => lay(r.round) }, make("b", { text: say("round", { n: r.number }) + (r.void ? ` ■ ${say("past.void")}` : "") }),
    make("small", { text: `${clock(r.ended)} · ${set(r.back)} · ${say("past.seats", { n: Object.keys(r.seats).length })}` }));
}

async function lay(round) {
  chosen = round ?? "";
  document.querySelectorAll("#rounds button").forEach((b) => b.setAttribute("aria-pressed", String(b.dataset.round === chosen)));
  if (!round) return at("laid").replaceChildren();
  const told = await get(`/past/round${query({ round })}`);
  if (told) part("laid", told, () => laid(told));
}
function laid(told) {
  const of = (area, seat = 0) => told.hands.find((h) => h.area === area && (h.seat ?? 0) === seat);
  const common = told.hands.filter((h) => !["dealer", "player"].includes(h.area));
  const seats = Object.entries(told.seats).map(([n, seat]) => make("article", { cls: "card" }, make("h3", { text: say("seat", { n }) + (seat.void ? ` ■ ${say("void")}` : seat.folded ? ` · ${say("folded")}` : "") }), hand(of("player", Number(n))),
    make("dl", {}, ...Object.entries(seat.wagers).flatMap(([wager, w]) => [make("dt", { text: `${name(wager)} ${money(w.cents)}` }), make("dd", { text: came_to(w) })]))));
  const file = document.querySelector("meta[name=role]").content !== "technician" && make("a", { cls: "key", href: `/past/evidence${query({ round: told.round })}`, download: "", text: say("evidence.file") });
  return [make("h2", { text: `${say("round", { n: told.number ?? told.round })} · ${clock(told.began)} – ${clock(told.ended)}` }), file,
    make("div", { cls: "felt" }, make("article", { cls: "card" }, make("h3", { text: say("past.dealer") }), hand(of("dealer"))), ...common.map((h) => make("article", { cls: "card" }, make("h3", { text: say(`area.${h.area}`) }), hand(h)))),
    make("div", { cls: "felt" }, ...seats),
    make("details", {}, make("summary", { text: say("past.records", { n: told.records.length }) }), make("ol", { lang: "en" }, ...told.records.map((r) => make("li", {}, make("code", { text: r.id }), make("span", { text: ` ${clock(r.time)} ${r.line}` }))))) ].filter(Boolean);
}
const came_to = (w) => (w.outcome ? `${say(`outcome.${w.outcome}`)}${w.cents ? " " + (w.returned + w.paid ? money(w.returned + w.paid) : "$0") : ""}` : say(`fate.${w.fate}`));
function hand(h) {
  if (!h) return make("p", { text: say("past.untold") });
  if (h.sealed) return make("div", {}, make("p", { cls: "cards" }, ...Array.from({ length: h.count }, () => make("span", { cls: "face back", text: "?" }))), make("p", { text: say("past.sealed") }));
  return make("p", { cls: "cards" }, ...h.cards.map((c) => {
    const suit = c.at(-1), rank = c.slice(0, -1).replace("T", "10");
    return make("span", { cls: `face ${"dh".includes(suit) ? "red" : ""} ${h.marked.includes(c) ? "played" : ""}`, text: SUITS[suit] ? rank + SUITS[suit] : "?" });
  }));
}

function draw(next) {
  const first = !status.table, round = `${next.round?.round ?? ""} ${next.last_round?.round ?? ""}`;
  status = next;
  looksAt(next);
  document.body.classList.remove("waiting");
  at("table").textContent = next.table ?? "–";
  at("round").textContent = next.round ? say("round", { n: next.round.number }) : say(next.open ? "no_round" : "closed");
  if (first || round !== newest) { newest = round; load(); }
}
at("logout").addEventListener("click", logout);
at("dialog-close").addEventListener("click", close);
follow(draw, () => {}, (told) => tables(told, status.table));
