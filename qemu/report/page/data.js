/* SPDX-License-Identifier: Apache-2.0 */
/* The report that the page holds, and what the drawings need of it. Times are
   mesh times in picoseconds, counted from the start of the scatter.
   Of a page with report.live, what is known is put in place of it (live.js):
   then `report` has no plan and no result, and times count from the order. Nor
   has it of boards that stand: such a page has report.boards (boards.js), or is
   live. */
let report = JSON.parse(document.getElementById("report").textContent);

/* The rows of a table, {names, rows}, as objects. */
function unpacked({ names, rows }) {
  return rows.map((row) => {
    const entry = {};
    names.forEach((name, i) => {
      if (row[i] !== null) entry[name] = row[i].rows ? unpacked(row[i]) : row[i];
    });
    return entry;
  });
}
if (report.circuits) report.circuits = unpacked(report.circuits);
if (report.measured) report.measured.nodes = unpacked(report.measured.nodes);
const { width, height } = report.mesh;
const nodeCount = width * height;
const boardsStand = report.live === "mesh" || report.boards !== undefined;
const planless = boardsStand || Boolean(report.live);

/* By port, as the report names them: steps to the east and to the north. */
const STEPS = { east: [1, 0], north: [0, 1], west: [-1, 0], south: [0, -1] };
const OPPOSITE = { east: "west", north: "south", west: "east", south: "north" };
const PORTS = Object.keys(STEPS);

/* Colours that colour-blind readers tell apart (Okabe and Ito). */
const COLOURS = { receive: "#e69f00", prepare: "#333333", compute: "#0072b2",
  idle: "#dddddd", gather: "#009e73", announce: "#56b4e9", wait: "#d55e00",
  done: "#b7e0d3", none: "#ffffff", down: "#ffffff", work: "#0072b2",
  unknown: "#f2f2f2", bad: "#d55e00", gone: "#ffffff",
  dead: "#ffffff", again: "#d55e00" };

const byId = (id) => document.getElementById(id);

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  return made;
}

/* A name with its control characters, and those that turn the direction of
   writing, as escapes: nothing in it hides or looks like what it is not. */
function shown(name) {
  return String(name).replace(
    /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/* Four digits and a unit: 502.6 us. */
function timeText(ps) {
  const units = [["s", 1e12], ["ms", 1e9], ["us", 1e6], ["ns", 1e3]];
  const [unit, one] = units.find((u) => Math.abs(ps) >= u[1]) || ["ps", 1];
  if (ps === 0) return "0 s";
  const value = ps / one;
  const digits = Math.max(0, 3 - Math.floor(Math.log10(Math.abs(value))));
  return `${one === 1 ? ps : value.toFixed(digits)} ${unit}`;
}

function numberText(value) {
  return Number.isInteger(value) ? value.toLocaleString("en").replace(/,/g, " ")
    : String(value);
}

const percentText = (part) => `${(100 * part).toFixed(1)} %`;

/* ---- nodes ---- */

/* One for each place, row by row; `row` is the report's own, null of a node
   that had no part. */
const nodes = Array.from({ length: nodeCount }, (_, index) => ({
  index, x: index % width, y: Math.floor(index / width) }));

function takeNodes() {
  for (const node of nodes) {
    Object.assign(node, { row: null, waited: 0, sends: 0, receives: 0 });
  }
  for (const row of report.measured.nodes) {
    nodes[row.y * width + row.x].row = row;
  }
  for (const injected of report.injected || []) {
    if (injected.kind.startsWith("slow")) {
      nodes[injected.y * width + injected.x].injected = injected;
    }
  }
  for (const fault of report.faults || []) {
    const node = nodes[fault.y * width + fault.x];
    node.faults = [...node.faults || [], fault];
  }
  for (const node of nodes) node.intervals = intervalsOf(node);
}

/* The rounds of a node, in order. */
function intervalsOf(node) {
  if (node.row === null) return [];
  if (node.row.rounds !== undefined) return node.row.rounds;
  return [{ round: 0, units: node.row.units, received_ps: node.row.received_ps,
    forwarded_ps: node.row.forwarded_ps,
    compute_start_ps: node.row.compute_start_ps,
    compute_end_ps: node.row.finished_ps }];
}
/* A time of a fault or a wave, which count from the order. */
function sinceStart(ps) { return ps + startPs; }

function isDead(node, ps) {
  return (node.faults || []).some(({ what, when_ps: when }) =>
    what === "node" && sinceStart(when) <= ps);
}

/* The state of a node at a time: a name in COLOURS. */
function stateOf(node, ps) {
  if (isDead(node, ps)) return "dead";
  if (boardsStand) return node.state || "unknown";
  if (report.live) return ps >= endPs ? node.state || "unknown" : "unknown";
  if (node.row === null) return "none";
  if (ps < 0) return isOriginator(node) ? "prepare" : "idle";
  if (ps >= node.row.finished_ps) return "done";
  for (const interval of node.intervals) {
    if (ps < interval.received_ps) return "idle";
    if (ps < interval.compute_start_ps) return "prepare";
    if (ps < interval.compute_end_ps) return "compute";
  }
  return "idle";
}

/* States in words, beside the colour. */
const STATE_NAMES = { none: "has no part in the run", idle: "waits",
  prepare: "prepares, or reads its message", compute: "computes",
  done: "has finished", receive: "receives", down: "is not up yet",
  work: "is at work", unknown: "is not known",
  bad: "is not well", gone: "does not answer",
  dead: "is dead" };

const originators = (report.originators || [{ x: report.mesh.originator[0],
  y: report.mesh.originator[1] }]).map((at) => at.y * width + at.x);

function isOriginator(node) { return originators.includes(node.index); }

/* ---- circuits ---- */

/* The links that a circuit takes, each [node, port]: straight out of its port,
   then, where it arrives otherwise, along the other axis. */
function linksOf(circuit) {
  const links = [];
  let [x, y] = [circuit.source % width, Math.floor(circuit.source / width)];
  const goal = [circuit.destination % width,
    Math.floor(circuit.destination / width)];
  const second = OPPOSITE[circuit.arrival];
  for (const port of circuit.port === second ? [second]
    : [circuit.port, second]) {
    if (!(port in STEPS)) return links;
    const [dx, dy] = STEPS[port];
    const there = () => dx !== 0 ? x === goal[0] : y === goal[1];
    const straight = circuit.port === second;
    for (let hop = 0; hop < Math.max(width, height); ++hop) {
      if (straight ? links.length === circuit.hops : there()) break;
      links.push([y * width + x, port]);
      x = (x + dx + width) % width;
      y = (y + dy + height) % height;
    }
  }
  return links;
}

/* Circuits, in the order in which they were asked for. */
let circuits = [];

/* How long circuits held each link, by "node port". */
const linkUse = new Map();

function takeCircuits() {
  circuits = (report.circuits || []).map((circuit) => ({ ...circuit,
    links: linksOf(circuit),
    waits_ps: Math.max(0, circuit.grant_ps - circuit.request_ps) }))
    .sort((a, b) => a.request_ps - b.request_ps);
  linkUse.clear();
  for (const circuit of circuits) {
    for (const [node, port] of circuit.links) {
      const key = `${node} ${port}`;
      linkUse.set(key, (linkUse.get(key) || 0) + circuit.end_ps
        - circuit.grant_ps);
    }
    nodes[circuit.source].waited += circuit.waits_ps;
    nodes[circuit.source].sends += 1;
    nodes[circuit.destination].receives += 1;
  }
}

const CIRCUIT_KINDS = { part: ["receive", "part of the load"],
  result: ["gather", "result"], announce: ["announce", "announcement"] };

function kindOf(circuit) {
  return CIRCUIT_KINDS[circuit.kind] || ["gather", circuit.kind];
}

/* ---- time ---- */

/* Times of the first batch: the report has no nodes of later ones. */
let startPs = 0, endPs = 0, plannedPs = 0;

/* Times at which a circuit begins or ends, for stepping. */
let eventTimes = [];

function takeTimes() {
  const batch = (report.batches || [])[0];
  startPs = -(batch ? batch.preparing_ps : report.measured.preparing_ps);
  endPs = report.measured.nodes.reduce(
    (last, row) => Math.max(last, row.finished_ps),
    batch ? batch.with_results_ps : report.measured.with_results_ps);
  plannedPs = batch ? batch.planned_ps : report.plan.makespan_ps;
  eventTimes = [...new Set(circuits.flatMap((c) => [c.grant_ps, c.end_ps]))]
    .sort((a, b) => a - b);
}

/* How much later than planned a node ended; undefined if that is not known, and
   null if the node did nothing. */
function againstPlan(row) {
  if (plannedPs === 0) return undefined;
  return row.units > 0 ? row.finished_ps - plannedPs : null;
}

/* A planned time, which is 0 where it is not known. */
function plannedText(ps) {
  return ps > 0 ? timeText(ps) : "-";
}

/* All that the drawings need, of `report`; a live one's is still to come. */
function takeReport() {
  takeNodes();
  takeCircuits();
  takeTimes();
}
if (planless) {
  Object.assign(report, { plan: { makespan_ps: 0, layers: [] }, circuits: [],
    measured: { nodes: [], preparing_ps: 0, with_results_ps: 1 } });
}
takeReport();
