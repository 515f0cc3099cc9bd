/* SPDX-License-Identifier: Apache-2.0 */
/* A page that follows a run, or boards that stand: events bring what is to be
   seen, the last one says that the report is there, which the page's own address
   then has. */

const LIVE_STATES = ["down", "idle", "work", "done"];
const LIVE_KINDS = ["announce", "part", "result"];
const LIVE_TRIES = 5; /* without an answer, until the page gives up */

const live = { source: new EventSource("events"), failures: 0, closed: false };

/* The stage of a run, in words. */
function stageText(now) {
  const of = now.batches > 1 ? `, batch ${now.batch + 1} of ${now.batches}` : "";
  switch (now.stage) {
    case "booting":
      return now.nodes > 0 ? `Nodes start: ${now.up} of ${nodeCount} are up.`
        : "Nodes start, and find each other.";
    case "running":
      return now.nodes > 0
        ? `The job runs${of}: ${now.ended} of ${nodeCount} nodes have finished.`
        : `The job runs${of}.`;
    case "collecting": return `Results are read${of}.`;
    case "done": return "All nodes have ended; the report is being made.";
    default: return "The job is prepared.";
  }
}

/* A circuit as an event has it, a row of values. */
function circuitOf([kind, phase, source, port, destination, arrival, hops,
  bytes, request, grant, end]) {
  return { kind: LIVE_KINDS[kind], phase, source, port: PORTS[port] || "host",
    destination, arrival: PORTS[arrival] || "host", hops, bytes,
    request_ps: request, grant_ps: grant, end_ps: end };
}

/* The chart's rows: nodes that parts came to, and originators. */
function rowsOf(now) {
  const layer = new Map(originators.map((index) => [index, 0]));
  for (const circuit of report.circuits) {
    if (circuit.kind === "part" && !layer.has(circuit.destination)) {
      layer.set(circuit.destination, circuit.phase);
    }
  }
  return [...layer].map(([index, phase]) => ({ x: index % width,
    y: Math.floor(index / width), layer: phase, finished_ps: now.time_ps,
    rounds: [] }));
}

function takeRun(now) {
  const whole = chart.from === startPs && chart.to === endPs;
  report.circuits = now.circuits.map(circuitOf);
  report.measured = { nodes: rowsOf(now), preparing_ps: 0,
    with_results_ps: Math.max(1, now.time_ps) };
  takeReport();
  nodes.forEach((node, i) => {
    node.state = LIVE_STATES[now.states[i]] || "unknown";
  });
  takeChart();
  if (whole) moveChartTo(startPs, endPs - startPs);
  byId("verdict").textContent = stageText(now);
  byId("gantt-note").textContent = now.dropped > 0
    ? `${now.dropped} older circuits are left out.` : "";
  if (view.follows) setTime(endPs);
  else redraw();
}

/* ---- events ---- */

/* No more events: the report is at this address, or never will be. */
function closeLive(text) {
  live.closed = true;
  live.source.close();
  byId("verdict").textContent = text;
}

live.source.addEventListener("run", (event) => {
  live.failures = 0;
  takeRun(JSON.parse(event.data));
});
live.source.addEventListener("mesh", (event) => {
  live.failures = 0;
  takeBoards(JSON.parse(event.data));
  byId("now").textContent = `As of ${new Date().toLocaleTimeString()}.`;
});
live.source.addEventListener("end", (event) => {
  const { report: there } = JSON.parse(event.data);
  closeLive(there ? "The report is there." : report.live === "mesh"
    ? "The command that this page followed has ended."
    : "The run failed; the terminal that it was started from says why.");
  if (there) window.location.reload();
});
live.source.addEventListener("error", () => {
  live.failures += 1;
  if (live.closed) return;
  if (live.failures >= LIVE_TRIES || live.source.readyState === 2) {
    closeLive("The command that this page followed has ended.");
  } else {
    byId("verdict").textContent = "The command does not answer; trying again.";
  }
});
