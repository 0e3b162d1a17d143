// The strip of a bench: who acts at a simulated table, fast-forward, and every fault that can happen there.
import { ask, close, csrf, key } from "./acts.js";
import { at, core_says, learn, make, say } from "./words.js";

const MODES = ["crew", "dealt", "hands", "pause"];
let state = { mode: "", coming: [], happened: [], scenes: [], devices: [], in_hand: {} };

async function tell(asked) {
  const answer = await fetch("/bench", asked && { method: "POST", headers: { "content-type": "application/json", "x-csrf": csrf }, body: JSON.stringify(asked) });
  const told = await answer.json();
  if (!told.ok && asked) return ask(say("bench.faults"), told.error?.reason ?? told.error, []);
  if (!told.ok) throw new Error(told.error);
  state = told;
  draw();
}

const strip = make("aside", { id: "bench", "aria-label": say("bench.title") });
const last = make("p", { role: "status" });
const modes = MODES.map((mode) => make("button", { text: say(`bench.${mode}`), on: () => tell({ act: "mode", mode }) }));
const forward = make("button", { text: say("bench.forward"), on: () => tell({ act: "forward", rounds: 5 }) });
strip.append(make("b", { text: say("bench.title") }), ...modes, forward, make("button", { text: say("bench.faults"), cls: "warn", on: faults }), last);
document.body.classList.add("benched");
document.body.append(strip);

function draw() {
  modes.forEach((b, n) => b.setAttribute("aria-pressed", String(state.mode === MODES[n])));
  forward.setAttribute("aria-pressed", String(state.mode === "forward"));
  const now = state.happened.at(-1), next = state.coming[0];
  last.textContent = next ? say("bench.coming", { n: next.round, what: effect(next, "scene") }) : now ? say("bench.happened", { what: effect(now, "scene") }) : say("bench.none");
}

await learn("bench");
/** Says what a scene of the table or a fault of a device does; a device's fault is told with the device before it. */
const effect = (of, kind) => core_says(`${of.name.includes(".") ? "fault" : kind}.${of.name.split(".").at(-1)}`, of.effect);

/** Every fault that the bench knows: scenes of the table first, then each device's own. */
function faults() {
  const tap = (name) => () => { close(); tell({ act: "fault", name }); };
  const small = (name) => name.replaceAll("_", " ");
  const scenes = state.scenes.filter((s) => !s.cannot).map((s) => key([small(s.name), effect(s, "scene"), tap(s.name)]));
  const kinds = [...new Set(state.devices.map((d) => d.name.split(".")[0]))];
  const devices = kinds.flatMap((kind) => [make("h3", { text: say(`device.${kind}`) }),
    ...state.devices.filter((d) => d.name.startsWith(`${kind}.`)).map((d) => key([small(d.name.slice(kind.length + 1)), effect(d, "fault"), tap(d.name)]))]);
  ask(say("bench.faults"), say("bench.text"), [], [...scenes, ...devices]);
}

const look = async () => {
  try { await tell(); } catch { last.textContent = say("bench.away"); }
  setTimeout(look, 2000);
};
await look();
