/* SPDX-License-Identifier: Apache-2.0 */
/* The mesh as a map, at one time: nodes coloured, circuits along their links. */

/* The measures that a node's colour can show: a name, and a number of each node,
   or null. `both`: from too early over none to too late. `live`: a page that
   follows a run knows it. */
const MEASURES = {
  state: { name: "what it does now", live: true },
  share: { name: "share, units", of: (row) => row.units, text: numberText },
  finish: { name: "finish against the plan", both: true,
    of: againstPlan,
    text: (ps) => ps === undefined ? "-" : (ps > 0 ? "+" : "") + timeText(ps) },
  idle: { name: "idle between its parts", of: (row) => row.idle_ps,
    text: timeText },
  waited: { name: "waits for links", live: true,
    of: (row, node) => node.waited,
    text: timeText },
  retries: { name: "set-ups repeated", of: (row) => row.retries,
    text: numberText },
  resent: { name: "times that frames were sent again",
    of: (row) => row.retransmissions, text: numberText },
};

/* Says whether nodes have a measure: only switches with serial ports count
   retries. */
function hasMeasure({ of, live }) {
  if (planless) return Boolean(live);
  return of === undefined || nodes.some((node) => node.row !== null
    && of(node.row, node) !== undefined);
}

/* States in the legend: of a report, a run that goes on, boards that stand. */
const MAP_STATES = { report: ["idle", "prepare", "compute", "done"],
  run: ["down", "idle", "work", "done"],
  mesh: ["idle", "work", "bad"] };

function mixed(from, to, part) {
  const channel = (i) => Math.round(from[i] + (to[i] - from[i]) * part);
  return `rgb(${channel(0)},${channel(1)},${channel(2)})`;
}

const WHITE = [247, 247, 247], BLUE = [0, 90, 160], RED = [190, 60, 0];

/* The range of a measure over the nodes: [least, most]. */
function rangeOf(measure) {
  const values = nodes.filter((node) => node.row !== null)
    .map((node) => measure.of(node.row, node)).filter((v) => v !== null);
  return values.reduce(([least, most], v) =>
    [Math.min(least, v), Math.max(most, v)], [Infinity, -Infinity]);
}

function colourOf(node, measure, range, ps) {
  if (measure.of === undefined) return COLOURS[stateOf(node, ps)];
  if (node.row === null) return COLOURS.none;
  const value = measure.of(node.row, node);
  if (value === null) return COLOURS.none;
  if (measure.both) {
    const most = Math.max(Math.abs(range[0]), Math.abs(range[1])) || 1;
    return mixed(WHITE, value < 0 ? BLUE : RED, Math.abs(value) / most);
  }
  return mixed(WHITE, BLUE, range[1] > range[0]
    ? (value - range[0]) / (range[1] - range[0]) : 0.5);
}

/* `range`: of the measure over the nodes, or null if it has no number. */
const map = { canvas: byId("map"), zoom: 1, cell: 0, measure: MEASURES.state,
  range: null, use: false };

/* The canvas' pixels for its size on the page; its context. */
function fitCanvas(canvas, wide, high) {
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(wide * ratio)
      || canvas.height !== Math.round(high * ratio)) {
    canvas.width = Math.round(wide * ratio);
    canvas.height = Math.round(high * ratio);
    canvas.style.width = `${wide}px`;
    canvas.style.height = `${high}px`;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, wide, high);
  return context;
}

/* The middle of a node; y grows to the north. */
function placeOf(index) {
  const x = index % width, y = Math.floor(index / width);
  return [(x + 1) * map.cell, (height - y) * map.cell];
}

/* A link from one node to its neighbour; one that closes a ring goes out of the
   map on one side and comes in on the other. */
function drawLink(context, index, port) {
  const [x, y] = placeOf(index), [dx, dy] = STEPS[port];
  const column = index % width + dx, row = Math.floor(index / width) + dy;
  const inside = column >= 0 && column < width && row >= 0 && row < height;
  const reach = map.cell * (inside ? 1 : 0.62);
  context.moveTo(x, y);
  context.lineTo(x + dx * reach, y - dy * reach);
  if (!inside) {
    const [ox, oy] = placeOf((row + height) % height * width
      + (column + width) % width);
    context.moveTo(ox - dx * reach, oy + dy * reach);
    context.lineTo(ox, oy);
  }
}

function drawGrid(context) {
  context.strokeStyle = "#e4e8ec";
  context.lineWidth = 1;
  context.beginPath();
  for (const node of nodes) {
    drawLink(context, node.index, "east");
    drawLink(context, node.index, "north");
  }
  context.stroke();
}

function drawUse(context) {
  const most = Math.max(1, ...linkUse.values());
  for (const [key, ps] of [...linkUse].sort((a, b) => a[1] - b[1])) {
    const [index, port] = key.split(" ");
    context.strokeStyle = mixed([235, 235, 235], RED, ps / most);
    context.lineWidth = 1 + map.cell / 12 * (ps / most);
    context.beginPath();
    drawLink(context, Number(index), port);
    context.stroke();
  }
}

/* Where a message is that is so far through its circuit. */
function drawProgress(context, circuit, part) {
  const at = Math.min(circuit.links.length - 1,
    Math.floor(part * circuit.links.length));
  const [index, port] = circuit.links[at];
  const [x, y] = placeOf(index), [dx, dy] = STEPS[port];
  const reach = (part * circuit.links.length - at) * map.cell;
  context.beginPath();
  context.arc(x + dx * reach, y - dy * reach, Math.max(2, map.cell / 9), 0, 7);
  context.fill();
}

function drawCircuit(context, circuit, ps) {
  const colour = COLOURS[kindOf(circuit)[0]];
  context.strokeStyle = context.fillStyle = colour;
  context.lineWidth = Math.max(1.5, map.cell / 14);
  context.beginPath();
  for (const [index, port] of circuit.links) drawLink(context, index, port);
  context.stroke();
  if (circuit.links.length > 0) {
    drawProgress(context, circuit, (ps - circuit.grant_ps)
      / Math.max(1, circuit.end_ps - circuit.grant_ps));
  }
}

/* Those that stand at a time, and those that wait for a link. */
function circuitsAt(ps) {
  const standing = [], waiting = [];
  for (const circuit of circuits) {
    if (circuit.request_ps > ps) break;
    if (ps < circuit.grant_ps) waiting.push(circuit);
    else if (ps < circuit.end_ps) standing.push(circuit);
  }
  return { standing, waiting };
}

function drawNode(context, node, colour, chosen, crossed) {
  const [x, y] = placeOf(node.index), half = map.cell * 0.3;
  const frame = (style, width, size) => {
    context.strokeStyle = style;
    context.lineWidth = width;
    context.strokeRect(x - half * size, y - half * size, 2 * half * size,
      2 * half * size);
  };
  context.fillStyle = colour;
  context.fillRect(x - half, y - half, 2 * half, 2 * half);
  if (node.injected) frame(COLOURS.wait, 3, 1);
  else if (map.cell >= 8) frame("#57606a", 1, 1); /* else all were frame */
  if (crossed) {
    context.strokeStyle = "#57606a";
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x - half, y - half);
    context.lineTo(x + half, y + half);
    context.moveTo(x + half, y - half);
    context.lineTo(x - half, y + half);
    context.stroke();
  }
  if (isOriginator(node)) frame("#000", Math.max(1.5, map.cell / 20), 1.3);
  if (node.index === chosen) frame("#cc00aa", 3, 1.5);
}

function drawWaits(context, waiting) {
  context.strokeStyle = COLOURS.wait;
  context.lineWidth = 2;
  context.setLineDash([3, 3]);
  for (const circuit of waiting) {
    const [x, y] = placeOf(circuit.source);
    context.beginPath();
    context.arc(x, y, map.cell * 0.46, 0, 7);
    context.stroke();
  }
  context.setLineDash([]);
}

/* Places of nodes, inside them: dark on light and light on dark. */
function drawLabels(context, colours) {
  const size = Math.min(14, map.cell / 4);
  context.font = `${size}px system-ui, sans-serif`;
  context.textAlign = "center";
  for (const node of nodes) {
    const [x, y] = placeOf(node.index);
    context.fillStyle = isDark(colours[node.index]) ? "#fff" : "#1b1f24";
    context.fillText(`${node.x},${node.y}`, x, y + size * 0.35);
  }
}

/* Takes a colour as this script writes them: #rrggbb or rgb(r,g,b). */
function isDark(colour) {
  const [r, g, b] = colour.startsWith("#")
    ? [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16))
    : colour.match(/\d+/g).map(Number);
  return 0.3 * r + 0.59 * g + 0.11 * b < 130;
}

function drawMap(ps, chosen) {
  const wide = byId("map-frame").clientWidth * map.zoom;
  map.cell = Math.min(wide / (width + 1), 110 * map.zoom);
  const context = fitCanvas(map.canvas, Math.max(wide, map.cell * (width + 1)),
    map.cell * (height + 1));
  const { standing, waiting } = circuitsAt(ps);
  drawGrid(context);
  if (map.use) drawUse(context);
  else for (const circuit of standing) drawCircuit(context, circuit, ps);
  const colours = nodes.map((node) => colourOf(node, map.measure, map.range, ps));
  nodes.forEach((node, i) => drawNode(context, node, colours[i],
    chosen, node.state === "gone" || isDead(node, ps)));
  drawWaits(context, waiting);
  if (map.cell >= 36) drawLabels(context, colours);
  return { standing, waiting };
}

/* The node under a point of the page; -1 if there is none. */
function nodeAt(event) {
  const frame = map.canvas.getBoundingClientRect();
  const x = Math.round((event.clientX - frame.left) / map.cell) - 1;
  const y = height - Math.round((event.clientY - frame.top) / map.cell);
  return x >= 0 && x < width && y >= 0 && y < height ? y * width + x : -1;
}

function legendEntry(colour, text) {
  const entry = element("span"), key = element("i");
  key.style.background = colour;
  entry.append(key, text);
  return entry;
}

/* Colours nodes by one of MEASURES, from the next drawing on. */
function showMeasure(key) {
  map.measure = MEASURES[key];
  map.range = map.measure.of === undefined ? null : rangeOf(map.measure);
  showMapLegend();
}

function showMapLegend() {
  const { measure } = map, legend = byId("map-legend");
  legend.replaceChildren();
  if (measure.of === undefined) {
    const page = boardsStand ? "mesh" : report.live || "report";
    for (const state of MAP_STATES[page]) {
      legend.append(legendEntry(COLOURS[state], STATE_NAMES[state]));
    }
  } else {
    const [least, most] = map.range;
    for (const value of least === most ? [least] : [least, most]) {
      const like = nodes.find((node) => node.row !== null
        && measure.of(node.row, node) === value);
      if (like) {
        legend.append(legendEntry(colourOf(like, measure, map.range, 0),
          measure.text(value)));
      }
    }
  }
  if (boardsStand) {
    legend.append(element("span", "crossed: does not answer"),
      element("span", "red link: errors in what came over it"),
      element("span", "double frame: by its console all are asked"));
    return;
  }
  for (const [colour, name] of Object.values(CIRCUIT_KINDS)) {
    legend.append(legendEntry(COLOURS[colour], `circuit: ${name}`));
  }
  legend.append(legendEntry(COLOURS.wait, "dashed: waits for a link"));
  legend.append(element("span", "double frame: originator"));
  if (nodes.some((node) => node.injected)) {
    legend.append(legendEntry(COLOURS.wait, "thick frame: made slow"));
  }
  if (report.faults) legend.append(element("span", "crossed: dead"));
}
