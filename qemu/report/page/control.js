/* SPDX-License-Identifier: Apache-2.0 */
/* The reader's choices: time, node, colour, zoom. */

const PLAY_SECONDS = 12; /* of the whole run */
const SLIDER = 10000;

const view = { ps: plannedPs / 4, chosen: originators[0], playing: false,
  asked: false, follows: Boolean(report.live) };

/* Says how many circuits stand or wait, and how many nodes are busy. */
function nowText({ standing, waiting }) {
  const texts = [];
  for (const [kind, [, name]] of Object.entries(CIRCUIT_KINDS)) {
    const some = standing.filter((circuit) => circuit.kind === kind);
    const where = [...new Set(some.map((c) => (c.round === undefined ? ""
      : `round ${c.round + 1}, `) + `phase ${c.phase}`))];
    if (some.length > 0) {
      texts.push(`${some.length} ${some.length === 1 ? "circuit" : "circuits"}`
        + ` with ${name === "result" ? "results" : `a ${name}`}`
        + (kind === "part" ? ` (${where.slice(0, 3).join("; ")})` : ""));
    }
  }
  if (waiting.length > 0) {
    texts.push(`${waiting.length} waiting for a link`);
  }
  const busy = nodes.filter((node) =>
    ["compute", "work"].includes(stateOf(node, view.ps))).length;
  if (!report.live || view.ps >= endPs) {
    texts.push(`${busy} of ${nodeCount} nodes `
      + (report.live ? "at work" : "compute"));
  }
  return texts.join("; ");
}

function draw() {
  view.asked = false;
  const at = drawMap(view.ps, view.chosen);
  drawChart(view.ps, view.chosen);
  byId("time-text").textContent = view.ps < 0
    ? `${timeText(-view.ps)} before the scatter`
    : timeText(view.ps) + (report.live ? " after the order" : "");
  byId("time").value = String(Math.round((view.ps - startPs)
    / (endPs - startPs) * SLIDER));
  byId("time").setAttribute("aria-valuetext", byId("time-text").textContent);
  if (!boardsStand) byId("now").textContent = nowText(at);
  if (!view.playing) showNode(nodes[view.chosen], view.ps);
}

function redraw() {
  if (!view.asked) {
    view.asked = true;
    requestAnimationFrame(draw);
  }
}

function setTime(ps) {
  view.ps = Math.min(endPs, Math.max(startPs, ps));
  redraw();
}

function choose(index) {
  for (const row of document.querySelectorAll("#nodes tr.chosen")) {
    row.classList.remove("chosen");
  }
  view.chosen = index;
  const row = document.querySelector(`#nodes tr[data-node="${index}"]`);
  if (row) row.classList.add("chosen");
  redraw();
}

/* ---- time ---- */

/* Makes the newest time of a live page the one that is shown, from now on. */
function follow(on) {
  if (on && view.playing) play(false);
  view.follows = on && Boolean(report.live);
  byId("follow").setAttribute("aria-pressed", String(view.follows));
  if (view.follows) setTime(endPs);
}

/* Shows a time, and no longer the newest one. */
function leaveFor(ps) {
  follow(false);
  setTime(ps);
}

function play(on) {
  view.playing = on;
  if (on) follow(false);
  byId("play").textContent = on ? "Pause" : "Play";
  if (!on) {
    redraw();
    return;
  }
  if (view.ps >= endPs) view.ps = startPs;
  let before = performance.now();
  const next = (now) => {
    if (!view.playing) return;
    view.ps += (now - before) / 1000 / PLAY_SECONDS * (endPs - startPs);
    before = now;
    if (view.ps >= endPs) {
      view.ps = endPs;
      play(false);
    } else {
      draw();
      requestAnimationFrame(next);
    }
  };
  requestAnimationFrame(next);
}

byId("play").addEventListener("click", () => play(!view.playing));
byId("time").addEventListener("input", (event) => {
  if (view.playing) play(false);
  leaveFor(startPs + event.target.value / SLIDER * (endPs - startPs));
});
byId("step-on").addEventListener("click", () =>
  leaveFor(eventTimes.find((ps) => ps > view.ps) ?? endPs));
byId("step-back").addEventListener("click", () =>
  leaveFor(eventTimes.filter((ps) => ps < view.ps).pop() ?? startPs));
byId("follow").addEventListener("click", () => follow(!view.follows));

/* ---- the map ---- */

for (const [key, { name }] of Object.entries(MEASURES)
  .filter(([, measure]) => hasMeasure(measure))) {
  byId("colour").append(element("option", name, { value: key }));
}
byId("colour").addEventListener("change", (event) => {
  showMeasure(event.target.value);
  redraw();
});
byId("links").addEventListener("change", (event) => {
  map.use = event.target.value === "use";
  redraw();
});
for (const [id, factor] of [["map-in", 1.5], ["map-out", 1 / 1.5]]) {
  byId(id).addEventListener("click", () => {
    map.zoom = Math.min(12, Math.max(0.4, map.zoom * factor));
    redraw();
  });
}
for (const kind of ["pointermove", "pointerdown"]) {
  map.canvas.addEventListener(kind, (event) => {
    const index = nodeAt(event);
    if (index >= 0 && index !== view.chosen) choose(index);
  });
}
map.canvas.addEventListener("keydown", (event) => {
  const port = { ArrowRight: "east", ArrowUp: "north", ArrowLeft: "west",
    ArrowDown: "south" }[event.key];
  if (port === undefined) return;
  const [dx, dy] = STEPS[port], { x, y } = nodes[view.chosen];
  choose((y + dy + height) % height * width + (x + dx + width) % width);
  event.preventDefault();
});

/* ---- the chart ---- */

for (const [id, move] of [["gantt-in", () => zoomChart(0.5, view.ps)],
  ["gantt-out", () => zoomChart(2, view.ps)],
  ["gantt-all", () => moveChartTo(startPs, endPs - startPs)]]) {
  byId(id).addEventListener("click", () => {
    move();
    redraw();
  });
}
chart.canvas.addEventListener("click", (event) => {
  const frame = chart.canvas.getBoundingClientRect();
  const at = Math.floor((event.clientY - frame.top - chart.top) / chart.row);
  if (at >= 0 && at < chartNodes.length) choose(chartNodes[at].index);
  leaveFor(chartTime(event.clientX - frame.left, frame.width));
});
chart.canvas.addEventListener("wheel", (event) => {
  if (!event.ctrlKey) return;
  const frame = chart.canvas.getBoundingClientRect();
  zoomChart(event.deltaY > 0 ? 1.25 : 0.8,
    chartTime(event.clientX - frame.left, frame.width));
  event.preventDefault();
  redraw();
}, { passive: false });
chart.canvas.addEventListener("keydown", (event) => {
  const length = chart.to - chart.from;
  const at = chartNodes.findIndex((node) => node.index === view.chosen);
  const done = { "+": () => zoomChart(0.5, view.ps),
    "-": () => zoomChart(2, view.ps),
    ArrowLeft: () => moveChartTo(chart.from - length / 8, length),
    ArrowRight: () => moveChartTo(chart.from + length / 8, length),
    ArrowUp: () => choose(chartNodes[Math.max(0, at - 1)].index),
    ArrowDown: () => choose(chartNodes[Math.min(chartNodes.length - 1,
      at + 1)].index) }[event.key];
  if (done === undefined) return;
  done();
  event.preventDefault();
  redraw();
});

/* ---- the beginning ---- */

showVerdict();
if (planless) {
  for (const id of boardsStand ? ["gantt", "plan", "result", "again"]
    : ["plan", "result", "nodes"]) {
    byId(`${id}-title`).parentElement.hidden = true;
  }
  byId("follow").hidden = false;
  for (const id of ["time", "links", "colour"]) {
    byId(id).parentElement.hidden = boardsStand;
  }
  if (boardsStand) {
    byId("mesh-hint").textContent = "Each square is a board. Choose one by the "
      + "pointer, or by the arrow keys when the map has the focus.";
  }
} else {
  if (report.compare) showCompare();
  showTotals();
  showLayers();
  showResult();
  showNodes();
}
showAgain();
takeChart();
showMeasure("state");
showChartLegend();
window.addEventListener("resize", redraw);
draw();
choose(view.chosen);
