/* SPDX-License-Identifier: Apache-2.0 */
/* Boards that stand, as they answered: of one time, or of each that an event
   brings. */

function stateOfBoard(board) {
  if (!board.answers) return "gone";
  if (!board.well && !board.job) return "bad";
  return board.job ? "work" : "idle";
}

const BOARD_COLUMNS = ["board", "state", "jobs done", "last job", "bytes in",
  "bytes out", "errors/MB", "retries"];

/* A row of the table: of all four links together. */
function boardCells({ x, y, board, ports }) {
  const all = Object.values(ports || {});
  const sum = (key) => all.reduce((total, port) => total + port[key], 0);
  const worst = all.reduce((most, port) => Math.max(most, port.errors_per_mb),
    0);
  return [`${x},${y}`, board.answers ? board.state : "does not answer",
    board.answers ? board.jobs : "-",
    board.answers ? board.error_text || "no error" : "-",
    ...["bytes_in", "bytes_out"].map((key) => numberText(sum(key))),
    worst.toFixed(1), numberText(sum("retries"))];
}

function showBoards() {
  const body = element("tbody");
  for (const node of nodes.slice(0, NODE_ROWS_MAX)) {
    const row = nodeRow(node, boardCells(node));
    row.classList.toggle("chosen", node.index === view.chosen);
    body.append(row);
  }
  byId("nodes").replaceChildren(headOf(BOARD_COLUMNS), body);
  byId("nodes-note").textContent = "Counted since the boards started; "
    + "errors/MB are those of the worst link.";
}

function takeBoards(now) {
  linkUse.clear();
  now.nodes.forEach((board, i) => {
    const node = nodes[board.y * width + board.x];
    node.board = board;
    node.ports = now.links[i].ports;
    node.state = stateOfBoard(board);
    for (const [name, port] of Object.entries(node.ports)) {
      linkUse.set(`${node.index} ${name}`, port.errors_per_mb);
    }
  });
  map.use = true;
  const well = now.nodes.filter((board) => board.well).length;
  byId("verdict").textContent = now.silent ? "The boards' console is silent."
    : `${well} of ${nodeCount} boards are well.`;
  showBoards();
  redraw();
}

if (report.boards !== undefined) {
  takeBoards(report.boards);
  byId("now").textContent = `As of ${report.at}.`;
}
