/* SPDX-License-Identifier: Apache-2.0 */
/* The chart of all nodes over mesh time, in step with the map. */

const CHART_ROWS_MAX = 1200; /* of more nodes, every so many one has a row */

const chart = { canvas: byId("gantt"), from: startPs, to: endPs, row: 0,
  left: 74, top: 22 };
let chartNodes = [];
/* Those that a node's row shows: parts that come to it, results that leave it. */
let chartCircuits = new Map();

function takeChart() {
  const active = nodes.filter((node) => node.row !== null)
    .sort((a, b) => a.row.layer - b.row.layer || a.index - b.index);
  const step = Math.ceil(active.length / CHART_ROWS_MAX);
  byId("gantt-note").textContent = [
    step > 1 ? `A row for every ${step}th node.` : "",
    report.rounds_left_out ? "Rounds of nodes are left out." : "",
    report.circuits_left_out ? "The last "
      + `${numberText(report.circuits_left_out)} circuits are left out.` : ""]
    .join(" ");
  chartNodes = active.filter((_, i) => i % step === 0);
  chartCircuits = new Map(chartNodes.map((node) => [node.index, []]));
  for (const circuit of circuits) {
    const row = { part: circuit.destination, result: circuit.source };
    chartCircuits.get(row[circuit.kind])?.push(circuit);
  }
  chartBase.key = "";
}

function chartX(ps, wide) {
  return chart.left + (ps - chart.from) / (chart.to - chart.from)
    * (wide - chart.left - 8);
}

function chartTime(x, wide) {
  return chart.from + (x - chart.left) / (wide - chart.left - 8)
    * (chart.to - chart.from);
}

/* Steps of 1, 2 or 5 times a power of ten, at least so long. */
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= least);
}

function drawLine(context, x, high) {
  context.beginPath();
  context.moveTo(x, chart.top);
  context.lineTo(x, high);
  context.stroke();
}

function drawAxis(context, wide, high) {
  const step = niceStep((chart.to - chart.from) * 90
    / Math.max(90, wide - chart.left));
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "center";
  context.strokeStyle = "#eef1f4";
  context.fillStyle = "#57606a";
  for (let ps = Math.ceil(chart.from / step) * step; ps <= chart.to;
    ps += step) {
    const x = chartX(ps, wide);
    drawLine(context, x, high);
    if (x > chart.left + 20 && x < wide - 24) {
      context.fillText(timeText(ps), x, 14);
    }
  }
}

function drawSpan(context, wide, y, high, from, to, colour) {
  const x = Math.max(chart.left, chartX(from, wide));
  const end = Math.min(wide - 8, chartX(to, wide));
  if (end > x) {
    context.fillStyle = colour;
    context.fillRect(x, y, Math.max(0.7, end - x), high);
  }
}

function drawRow(context, node, wide, y) {
  const high = chart.row > 3 ? chart.row - 1 : chart.row;
  const span = (from, to, colour) =>
    drawSpan(context, wide, y, high, from, to, colour);
  const thin = (circuit) => drawSpan(context, wide, y, Math.max(1, high / 3),
    circuit.grant_ps, circuit.end_ps, COLOURS[kindOf(circuit)[0]]);
  span(0, node.row.finished_ps, COLOURS.idle);
  if (isOriginator(node)) span(startPs, 0, COLOURS.prepare);
  for (const interval of node.intervals) {
    span(interval.received_ps, interval.compute_start_ps, COLOURS.prepare);
    span(interval.compute_start_ps, interval.compute_end_ps, COLOURS.compute);
  }
  chartCircuits.get(node.index).forEach(thin);
  for (const { when_ps: when } of node.faults || []) {
    const x = chartX(sinceStart(when), wide);
    if (x < chart.left || x > wide - 8) continue;
    context.fillStyle = COLOURS.again;
    context.fillRect(x - 1, y, 3, high);
  }
}

function drawRowNames(context) {
  let layer = -1, free = 0; /* below the name before */
  context.textAlign = "left";
  chartNodes.forEach((node, i) => {
    const y = chart.top + i * chart.row;
    if (node.row.layer !== layer) {
      layer = node.row.layer;
      if (chart.row < 10 && y >= free) {
        context.fillStyle = "#1b1f24";
        context.fillText(`layer ${layer}`, 4, y + 9);
        free = y + 12;
      }
    }
    if (chart.row >= 10) {
      context.fillStyle = "#57606a";
      context.fillText(`${node.x},${node.y}  layer ${node.row.layer}`, 4,
        y + chart.row / 2 + 3);
    }
  });
}

function drawMark(context, wide, high, ps, colour, dash) {
  const x = chartX(ps, wide);
  if (x < chart.left || x > wide - 8) return;
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.setLineDash(dash);
  drawLine(context, x, high);
  context.setLineDash([]);
}

/* All but what time and node are chosen: drawn anew when it changes, for that
   takes longer than all else of a frame. */
const chartBase = { canvas: document.createElement("canvas"), key: "" };

function drawBase(wide, high) {
  const key = [wide, high, chart.from, chart.to, window.devicePixelRatio]
    .join(" ");
  if (chartBase.key === key) return;
  chartBase.key = key;
  const context = fitCanvas(chartBase.canvas, wide, high);
  drawAxis(context, wide, high);
  chartNodes.forEach((node, i) =>
    drawRow(context, node, wide, chart.top + i * chart.row));
  drawRowNames(context);
  for (const wave of report.recovery?.each || []) {
    drawSpan(context, wide, chart.top - 5, 5, sinceStart(wave.start_ps),
      sinceStart(wave.end_ps), COLOURS.again);
  }
  if (plannedPs > 0) drawMark(context, wide, high, plannedPs, "#000", [5, 4]);
}

function drawChart(ps, chosen) {
  const wide = chart.canvas.parentElement.clientWidth;
  if (wide === 0) return; /* it is not shown */
  chart.row = Math.max(1.5, Math.min(16, 900 / Math.max(1, chartNodes.length)));
  const high = chart.top + chart.row * chartNodes.length + 6;
  drawBase(wide, high);
  const context = fitCanvas(chart.canvas, wide, high);
  context.drawImage(chartBase.canvas, 0, 0, wide, high);
  const at = chartNodes.findIndex((node) => node.index === chosen);
  if (at >= 0) {
    context.strokeStyle = "#cc00aa";
    context.lineWidth = 1.5;
    context.strokeRect(chart.left, chart.top + at * chart.row - 0.5,
      wide - chart.left - 8, Math.max(3, chart.row));
  }
  drawMark(context, wide, high, ps, "#cc00aa", []);
}

/* Shows a span that has `ps` where it was, `factor` times as long. */
function zoomChart(factor, ps) {
  const length = Math.min(endPs - startPs, Math.max(1000,
    (chart.to - chart.from) * factor));
  const part = (ps - chart.from) / (chart.to - chart.from);
  moveChartTo(ps - part * length, length);
}

function moveChartTo(from, length) {
  chart.from = Math.max(startPs, Math.min(endPs - length, from));
  chart.to = chart.from + length;
}

function showChartLegend() {
  const legend = byId("gantt-legend");
  const thin = [["receive", "thin: a part of the load comes"],
    ["gather", "thin: results leave"]];
  const wide = [["prepare", "prepares, reads its message"],
    ["compute", "computes"], ["idle", "waits"]];
  for (const [colour, text] of report.live ? thin : [...wide, ...thin]) {
    legend.append(legendEntry(COLOURS[colour], text));
  }
  if (report.faults) {
    legend.append(legendEntry(COLOURS.again,
      "on a row: lost; above: lost units are computed again"));
  }
  if (plannedPs > 0) {
    legend.append(element("span", "dashed line: planned end"));
  }
}
