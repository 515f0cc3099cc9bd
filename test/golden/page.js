/* SPDX-License-Identifier: Apache-2.0 */
/* A page without a browser: enough of a document for qemu/report/page to run in, and
   its text as a reader sees it. golden_cases.py puts the page into PAGE before
   this, its scripts and what the reader does behind. */
const say = typeof print === "function" ? print : console.log;
const CLOSED = ["meta", "link", "input", "br"];
const UNSEEN = /^(head|script|style|noscript)$/;
const HELD = /<script id="report"[^>]*>([^]*?)<\/script>/;
const COLOUR = /#\w{6}|rgb\([\d,]+\)/;
const APART = /^(h\d|p|li|tr|div|table|section|button|label|option|pre|aside)$/;

class Node {
  constructor(name) {
    Object.assign(this, { name, inside: [], attributes: {}, style: {},
      dataset: {}, hidden: false, value: "", listeners: {} });
    this.classList = { add() {}, remove() {}, toggle() {} };
  }

  set textContent(text) { this.inside = [String(text)]; }
  get textContent() {
    return this.inside.map((one) => one.textContent ?? one).join("");
  }

  append(...some) {
    for (const one of some) {
      if (one instanceof Node) one.parentElement = this;
      this.inside.push(one);
    }
  }

  replaceChildren(...some) { this.inside = []; this.append(...some); }
  setAttribute(name, value) { this.attributes[name] = String(value); }
  addEventListener(kind, what) { this.listeners[kind] = what; }
  getBoundingClientRect() {
    return { left: 0, top: 0, width: 900, height: 400 };
  }

  get clientWidth() { return 900; }
  getContext() { return new Proxy({ drawn: this }, canvas); }
}

/* A drawing of which the texts are kept, and the colours under them. */
const canvas = {
  get: ({ drawn }, name) => name === "fillText"
    ? (text) => { drawn.inside.push(`${text}`); }
    : name === "clearRect" ? () => { drawn.inside = []; }
      : name === "drawImage" ? (from) => { drawn.inside.push(...from.inside); }
        : name === "measureText" ? (text) => ({ width: 7 * text.length })
          : () => {},
  set: () => true,
};

/* The elements of a page whose tags all end; `ids` takes those with a name. */
function parsed(html, ids) {
  const root = new Node("html"), open = [root];
  for (const [, end, name, rest, text] of html.matchAll(
    /<(\/?)([a-zA-Z]\w*)([^>]*)>|([^<]+)/g)) {
    const at = open[open.length - 1];
    if (text !== undefined) at.append(text);
    else if (end) open.pop();
    else {
      const made = new Node(name);
      for (const [, key, value] of rest.matchAll(/([\w-]+)="([^"]*)"/g)) {
        made.attributes[key] = value;
      }
      made.hidden = /\shidden/.test(rest);
      if (made.attributes.id) ids.set(made.attributes.id, made);
      at.append(made);
      if (!CLOSED.includes(name)) open.push(made);
    }
  }
  return root;
}

/* What a reader sees: a line for each paragraph, row or button. */
function seen(node) {
  if (typeof node === "string") return node.replace(/\s+/g, " ");
  if (node.hidden || UNSEEN.test(node.name)) return "";
  const parts = node.inside.map(seen), cells = node.name === "tr";
  const text = node.name === "canvas" ? `[${parts.join("|")}]`
    : parts.join(cells ? "  " : "");
  const colour = COLOUR.exec(Object.values(node.style).join(" "));
  const shown = (colour ? `{${colour[0]}}` : "") + text
    + (node.name === "span" ? " " : "");
  return APART.test(node.name) ? `\n${shown}\n` : shown;
}

const ids = new Map(), frames = [];
const tree = parsed(PAGE.replace(/<!--[^]*?-->|<!DOCTYPE[^>]*>/g, "")
  .replace(/<(script|style)[^>]*>[^]*?<\/\1>/g, (script) =>
    script.includes('id="report"') ? "" : ""), ids);
const report_ = new Node("script");
report_.textContent = HELD.exec(PAGE)[1];
ids.set("report", report_);
globalThis.document = { title: "", getElementById: (id) => ids.get(id),
  createElement: (name) => new Node(name), querySelector: () => null,
  querySelectorAll: () => [] };
globalThis.window = { devicePixelRatio: 1, addEventListener() {} };
globalThis.requestAnimationFrame = (what) => { frames.push(what); };
globalThis.performance = { now: () => 0 };

function settle() {
  for (let i = 0; i < 9 && frames.length > 0; ++i) frames.shift()(0);
}

function tell() {
  settle();
  say(`(${document.title})`);
  say(seen(tree).replace(/ *\n\s*/g, "\n").trim());
}
