// The players' display: whether bets are taken, what meters showed and when, what Cover All pays. It sends nothing.
import { follow } from "./live.js";
import { at, lang, make, money, say } from "./words.js";

const time = new Intl.DateTimeFormat(lang, { hour: "2-digit", minute: "2-digit" });
const SHAPES = { open: "○", no_more: "■", soon: "…", table_closed: "■" };

function draw(next) {
  document.body.classList.remove("waiting");
  at("table").textContent = next.table;
  at("round").textContent = next.round ? say("round", { n: next.round }) : "";
  at("bets").textContent = `${SHAPES[next.bets]} ${say(`display.${next.bets}`)}`;
  at("bets").className = next.bets;
  at("fault").textContent = next.fault ? `■ ${say(`display.fault.${next.fault}`)}` : "";
  at("meters").replaceChildren(...next.meters.map((m) => make("div", {}, make("h2", { text: say("display.meter", { name: m.meter.toUpperCase() }) }),
    make("b", { text: money(m.cents, m.currency) }), make("small", { text: say("display.as_of", { time: time.format(new Date(m.at_us / 1000)) }) }))));
  const pays = next.cover_all;
  at("cover-all").replaceChildren(...(pays ? [make("h2", { text: say("display.cover_all", { n: pays.hands }) }),
    make("dl", {}, ...pays.pays.flatMap(([hand, odds]) => [make("dt", { text: say(`pay.${hand}`) }), make("dd", { text: say(odds.includes(" for ") ? "odds.for" : "odds.to", { pays: odds.split(" ")[0], stake: odds.split(" ")[2] }) })]))] : []));
}
follow(draw, () => {}, () => {}, "/display/stream");
