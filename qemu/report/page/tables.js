/* SPDX-License-Identifier: Apache-2.0 */
/* The report's figures as tables. */

const NODE_ROWS_MAX = 2000;

function fill(table, facts) {
  table.replaceChildren(...facts.map(([name, value]) => {
    const row = element("tr");
    row.append(element("th", name, { scope: "row" }), element("td", value));
    return row;
  }));
}

/* ---- where the time went ---- */

const BAR_COLOURS = { preparing: COLOURS.prepare, scatter: COLOURS.receive,
  compute: COLOURS.compute, ports: COLOURS.announce, idle: COLOURS.idle,
  gather: COLOURS.gather, recovery: COLOURS.again };

function showVerdict() {
  const title = boardsStand ? `${width} x ${height} boards`
    : `${report.kernel} on ${width} x ${height} nodes`;
  document.title = `Quincunx: ${title}`;
  byId("title").textContent = title;
  byId("verdict").textContent = report.verdict || "";
  byId("remarks").replaceChildren(...(report.remarks || []).map(
    (remark) => element("li", remark)));
  const parts = Object.entries(report.average_node_ps || {});
  const all = parts.reduce((sum, [, ps]) => sum + ps, 0);
  if (all === 0) {
    byId("bar").hidden = true;
    return;
  }
  for (const [name, ps] of parts) {
    const span = element("span");
    span.style.cssText = `width:${100 * ps / all}%;`
      + `background:${BAR_COLOURS[name]}`;
    byId("bar").append(span);
    const entry = element("li");
    entry.append(legendEntry(BAR_COLOURS[name],
      `${name} ${percentText(ps / all)}`));
    byId("bar-parts").append(entry);
  }
  byId("bar-parts").append(element("li", "of the average node's time"));
  byId("bar").setAttribute("aria-label", "Where the average node's time went: "
    + parts.map(([name, ps]) => `${name} ${percentText(ps / all)}`).join(", "));
}

/* ---- one node ---- */

function nodeFacts(node, ps) {
  const { row } = node;
  if (boardsStand) return boardFacts(node);
  const now = ["at this time", STATE_NAMES[stateOf(node, ps)]];
  const lost = (node.faults || []).map(faultFact);
  if (row === null) return [now, ...lost];
  const traffic = [["circuits", `${node.sends} out, ${node.receives} in`],
    ["waited for links", timeText(node.waited)]];
  if (report.live) return [now, ...traffic];
  const facts = [now, ["layer", String(row.layer)],
    ["share", `${numberText(row.units)} units`],
    ["first volume received", timeText(row.received_ps)],
    ["first computed", timeText(row.compute_start_ps)],
    ["finished", timeText(row.finished_ps)],
    ["against the plan", MEASURES.finish.text(againstPlan(row))],
    ["idle between its parts", timeText(row.idle_ps)], ...traffic];
  if (row.originator) {
    facts.splice(1, 0, ["serves originator", row.originator.join(",")]);
  }
  if (row.retries !== undefined) {
    facts.push(["set-ups repeated", numberText(row.retries)],
      ["frames sent again", `${numberText(row.retransmissions)} times`]);
  }
  if (node.injected) {
    facts.push(["made slow", `${node.injected.kind}, no plan knew it`]);
  }
  return [...facts, ...lost];
}

function faultFact({ what, port, when_ps: when, found_ps: found, how, units }) {
  return [what === "node" ? "lost" : `link ${port} lost`,
    how === "ordered" ? "before the job"
      : (when === undefined ? "" : timeText(sinceStart(when))) + (found === undefined ? ", not found"
        : `, found at ${timeText(sinceStart(found))} (${how})`)
        + (units > 0 ? `: ${numberText(units)} units` : "")];
}

function showNode(node, ps) {
  byId("node-title").textContent = `Node ${node.x},${node.y}`
    + (isOriginator(node) && !boardsStand ? ", originator" : "");
  fill(byId("node-table"), nodeFacts(node, ps));
}

/* The facts of a board, as it answered last. */
function boardFacts(node) {
  const { board } = node;
  if (!board) return [["state", "is not known yet"]];
  if (!board.answers) return [["state", `does not answer: ${board.why}`]];
  const facts = [["state", board.state], ["last step", board.waypoint],
    ["jobs done", String(board.jobs)],
    ["last job", board.job ? "goes on" : board.error_text || "no error"],
    ["up, by its clock", timeText(board.uptime_ms * 1e9)]];
  if (board.fault) {
    facts.push(["faults", `${board.fault.count}, at ${board.fault.pc_at
      || board.fault.pc}`]);
  }
  for (const [name, port] of Object.entries(node.ports || {})) {
    facts.push([name, `${numberText(port.bytes_in)} bytes in, `
      + `${port.errors_per_mb.toFixed(1)} errors/MB, `
      + `${numberText(port.retries)} retries`]);
  }
  return facts;
}

/* ---- plan and result ---- */

function showTotals() {
  const { plan, measured, network } = report;
  fill(byId("totals"), [
    ["answer, from the order", timeText(measured.answer_ps)],
    ["one board's answer", timeText(measured.one_board_ps)],
    ["makespan planned", plannedText(plan.makespan_ps)],
    ["makespan measured", timeText(measured.makespan_ps)
      + (plan.makespan_ps === 0 ? "" : ", "
        + `${(100 * measured.overhead_vs_plan).toFixed(2)} % against the plan`)],
    ["rounds", `${plan.rounds}, each of ${plan.phases} phase`
      + (plan.phases === 1 ? "" : "s")],
    ["circuits", `${numberText(network.messages)}, `
      + `${numberText(network.circuit_conflicts)} waited for a link`],
    ["bytes over circuits", numberText(network.payload_bytes)],
    ["profile", `${shown(report.profile.name)}: startup `
      + `${timeText(report.profile.startup_ps)}, `
      + `${timeText(report.profile.transfer_ps_per_byte)} a byte, `
      + `${timeText(report.profile.hop_delay_ps)} a hop`]]);
}

function headOf(names) {
  const row = element("tr"), head = element("thead");
  for (const name of names) row.append(element("th", name, { scope: "col" }));
  head.append(row);
  return head;
}

function rowOf(texts, attributes) {
  const row = element("tr", undefined, attributes);
  row.append(...texts.map((text) => element("td", String(text))));
  return row;
}

/* A row of a node's table, which chooses the node. */
function nodeRow(node, texts) {
  const row = rowOf(texts, { "data-node": node.index });
  row.addEventListener("click", () => choose(node.index));
  return row;
}

/* First and last of a layer's nodes: received, finished. */
function layerTimes(layer) {
  const rows = report.measured.nodes.filter((row) => row.layer === layer);
  const least = (key) => rows.reduce((a, row) => Math.min(a, row[key]),
    Infinity);
  const most = (key) => rows.reduce((a, row) => Math.max(a, row[key]), 0);
  return rows.length === 0 ? ["-", "-", "-", "-"]
    : [least("received_ps"), most("received_ps"), least("finished_ps"),
      most("finished_ps")].map(timeText);
}

/* A mean that is short with a decimal. */
function unitsText(units) {
  return units < 10 && !Number.isInteger(units) ? units.toFixed(1)
    : numberText(Math.round(units));
}

/* Units that the originator computed to measure them, if the plan is about the
   others: what nodes got along a tree has them. */
function unplannedUnits() {
  const { layers, measured_units: measured = 0 } = report.plan;
  const all = (report.batches || [])[0]?.units ?? report.load.units;
  const planned = layers.reduce((sum, { nodes, share_units: share }) =>
    sum + nodes * share, 0);
  return planned + measured <= all + 0.5 ? measured : 0;
}

function showLayers() {
  const body = element("tbody");
  const { layers } = report.plan;
  /* Along a tree nodes of a layer differ, and no time is told. */
  const told = layers.length === 1 || layers.some((l) => l.received_ps > 0);
  for (const layer of layers) {
    /* The originator's share has the units that it measured. */
    const measured = layer.layer === 0 ? unplannedUnits() : 0;
    body.append(rowOf([layer.layer, numberText(layer.nodes),
      unitsText(layer.share_units + measured),
      unitsText(layer.volume_units + measured),
      told ? timeText(layer.received_ps) : "-", ...layerTimes(layer.layer)]));
  }
  byId("layers").replaceChildren(headOf(["layer", "nodes", "share, units",
    "volume, units", "first volume planned", "received, first", "last",
    "finished, first", "last"]), body);
}

/* Schedules side by side, of `quincunx compare`. */
function showCompare() {
  const { schedules, best, lower_bound: bound } = report.compare;
  const body = element("tbody");
  for (const one of schedules) {
    body.append(rowOf([one.schedule, one.rounds, one.phases, one.active_nodes,
      timeText(one.answer_ps), one.ratio.toFixed(3), timeText(one.makespan_ps),
      timeText(one.with_results_ps), plannedText(one.planned_makespan_ps),
      numberText(one.circuit_conflicts)]));
  }
  byId("compare").replaceChildren(headOf(["schedule", "rounds", "phases",
    "nodes", "answer", "ratio", "makespan", "with results", "planned",
    "conflicts"]), body);
  byId("compare-note").textContent = `${best} answers first; no schedule ends `
    + `before ${timeText(bound.makespan_ps)}. The page below is of `
    + `${schedules[0].schedule}, the first.`;
  byId("compare-title").parentElement.hidden = false;
}

/* Where something was found: of several inputs with the file's name. */
function foundAt() {
  const { offsets, places } = report.result;
  return places === undefined ? offsets : places.map(({ file, offset }) =>
    `${shown((report.load.files || [])[file]?.file)}:${offset}`);
}

function showResult() {
  const { offsets, offsets_complete: complete, places, ...rest }
    = report.result;
  const found = foundAt();
  const facts = Object.entries(rest).map(([name, value]) => [name,
    Array.isArray(value) ? value.map(String).join(", ") : String(value)]);
  if (found !== undefined) {
    facts.push(["offsets", found.join(", ") + (complete ? "" : " ...")]);
  }
  for (const one of report.originators || []) {
    facts.push([`of ${shown(one.file)}`, Object.entries(one.result)
      .filter(([, value]) => !Array.isArray(value))
      .map(([name, value]) => `${name} ${value}`).join(", ")]);
  }
  fill(byId("result"), facts);
  byId("texts").replaceChildren(...(report.texts || []).map(
    ([before, after], i) => rowOf([found[i], before, after])));
}

function showAgain() {
  byId("command").textContent = shown(report.command || "");
  if (planless) return;
  byId("digest").textContent = report.mesh.on === "boards"
    ? "Boards run on real clocks: times are never quite the same."
    : `Every run of this command has the timeline ${report.timeline_sha256}`;
}

/* ---- all nodes ---- */

const NODE_COLUMNS = [["node", (n) => n.index, (n) => `${n.x},${n.y}`],
  ["layer", (n) => n.row.layer, (n) => n.row.layer],
  ["share, units", (n) => n.row.units, (n) => numberText(n.row.units)],
  ["received", (n) => n.row.received_ps, (n) => timeText(n.row.received_ps)],
  ["finished", (n) => n.row.finished_ps, (n) => timeText(n.row.finished_ps)],
  ["against the plan", (n) => n.row.finished_ps,
    (n) => MEASURES.finish.text(againstPlan(n.row))],
  ["idle", (n) => n.row.idle_ps, (n) => timeText(n.row.idle_ps)],
  ["waited", (n) => n.waited, (n) => timeText(n.waited)]];

const order = { column: 0, down: false };

function showNodes() {
  const [, key] = NODE_COLUMNS[order.column];
  const sign = order.down ? -1 : 1;
  const active = nodes.filter((node) => node.row !== null)
    .sort((a, b) => sign * (key(a) - key(b)) || a.index - b.index);
  const body = element("tbody");
  for (const node of active.slice(0, NODE_ROWS_MAX)) {
    body.append(nodeRow(node, NODE_COLUMNS.map(([, , text]) => text(node))));
  }
  byId("nodes").replaceChildren(nodesHead(), body);
  byId("nodes-note").textContent = active.length > NODE_ROWS_MAX
    ? `The first ${NODE_ROWS_MAX} of ${active.length}, in the order chosen.`
    : "A click on a heading sorts.";
}

function nodesHead() {
  const head = element("thead"), row = element("tr");
  NODE_COLUMNS.forEach(([name], i) => {
    const cell = element("th", undefined, { scope: "col",
      "aria-sort": i !== order.column ? "none"
        : order.down ? "descending" : "ascending" });
    const button = element("button", name, { type: "button" });
    button.addEventListener("click", () => {
      order.down = i === order.column ? !order.down : i > 2;
      order.column = i;
      showNodes();
    });
    cell.append(button);
    row.append(cell);
  });
  head.append(row);
  return head;
}
