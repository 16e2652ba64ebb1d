// The table of locks. It shows the first rows only, and keeps the elements of a row while its lock is shown.

import { byId, element, setText } from "/dom.js";
import { endOf, isHeld, state, waitingOf, wallNow } from "/state.js";
import { duration, shortId, wholeDuration } from "/words.js";

const view = { filter: "", kind: "", order: "waiting", limit: 100 };
const shown = new Map(); // by id of the lock
const open = new Set(); // ids of locks whose details are shown
let askRelease = () => {};

const compareNames = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id - b.id);
const started = (lock) => (lock.since_ms === 0 ? state.greeting.opened_ms : lock.since_ms);
const orders = {
  waiting: (a, b) => isHeld(b) - isHeld(a) || waitingOf(b) - waitingOf(a) || compareNames(a, b),
  name: compareNames,
  ends: (a, b) => isHeld(b) - isHeld(a) || endOf(a) - endOf(b) || compareNames(a, b),
  since: (a, b) => isHeld(b) - isHeld(a) || started(a) - started(b) || compareNames(a, b),
};

// A text with * is a pattern of the whole name; any other text may be anywhere in the name, an id or a label.
function matcher() {
  const text = view.filter.toLowerCase();
  if (text.includes("*")) {
    const escaped = text.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const pattern = new RegExp(`^${escaped.join(".*")}$`, "s");
    return (lock) => pattern.test(lock.name.toLowerCase());
  }
  const has = (whole) => whole.toLowerCase().includes(text);
  const names = (h) => has(h.id) || has(h.label);
  return (lock) => text === "" || has(lock.name) || lock.holders.some(names) || lock.queue.some(names);
}

function wanted() {
  const matches = matcher();
  const all = [...state.locks.values()].filter((l) => (view.kind === "" || l.kind === view.kind) && matches(l));
  return all.sort(orders[view.order]);
}

function holderText(h, label) {
  const id = element("span", "mono", shortId(h.id));
  id.title = h.id;
  return label ? [element("span", "label", label), " ", id] : [id];
}

// The value of a leader names it, as the label of an owner does.
function holdersText(lock) {
  if (lock.kind === "latch") return [`${lock.value} left to count`];
  if (!lock.holders.length) return [];
  const more = lock.holder_count > 1 ? ` and ${lock.holder_count - 1} more` : "";
  return [...holderText(lock.holders[0], lock.value || lock.holders[0].label), more];
}

function makeRow(lock) {
  const name = element("button", "", lock.name);
  name.type = "button";
  const row = { lock, name, cells: {}, details: null, times: [] };
  const cell = (key, className, ...children) => (row.cells[key] = element("td", `${key} ${className}`, ...children));
  row.text = element("span", "");
  row.level = element("div", "");
  row.meter = element("div", "meter", row.level);
  row.node = element("tr", "lock", cell("name", "", name), cell("kind", ""), cell("holder", ""),
    cell("remaining", "", row.text, row.meter), cell("since", ""), cell("waiting", "number"), cell("fence", "number mono"),
    cell("action", ""));
  name.addEventListener("click", () => {
    if (!open.delete(lock.id)) open.add(lock.id);
    renderRows();
  });
  return row;
}

function releaseButton(lock) {
  const button = element("button", "", "Release…");
  button.type = "button";
  button.addEventListener("click", () => askRelease(lock));
  return button;
}

// What only changes when the lock itself is another object.
function fillRow(row, lock) {
  row.lock = lock;
  const { cells } = row;
  row.node.classList.toggle("free", !isHeld(lock));
  setText(cells.kind, lock.kind);
  cells.holder.replaceChildren(...holdersText(lock));
  const parts = [];
  if (lock.queue_length) parts.push(`${lock.queue_length} queued`);
  if (lock.waiting) parts.push(`${lock.waiting} waiting`);
  setText(cells.waiting, parts.join(", ") || (!isHeld(lock) ? "" : lock.waiting === null ? "?" : "0"));
  setText(cells.fence, lock.fence);
  const mayRelease = state.greeting.allow_release && lock.holders.length > 0;
  cells.action.replaceChildren(...(mayRelease ? [releaseButton(lock)] : []));
  row.details = null;
}

function fillTimes(row, now) {
  const { lock } = row;
  const left = Math.max(endOf(lock) - now, 0);
  setText(row.text, lock.ends.length ? duration(left) : ""); // a latch has no holders
  row.meter.hidden = !lock.ends.length || left === Infinity;
  const share = lock.lease > 0 ? Math.min(left / lock.lease, 1) : 0;
  row.level.style.width = `${Math.round(share * 100)}%`;
  row.meter.classList.toggle("low", share < 0.2);
  const held = wholeDuration(Math.max(wallNow() - started(lock), 0));
  setText(row.cells.since, !isHeld(lock) ? "" : lock.since_ms === 0 ? `over ${held}` : held);
}

// `times` receives an element for each holder, for what remains of its lease time.
function makeDetails(lock, times) {
  const labelOf = (h) => (h.label ? `${h.id} (${h.label})` : h.id);
  const nameOf = (h) => (h.number ? `number ${h.number}: ${labelOf(h)}` : labelOf(h));
  const list = (all, ...more) => element("ol", "mono", ...all.map((h, i) => element("li", "", nameOf(h), ...more.map((f) => f(i)))));
  const timeOf = (i) => (times[i] = element("span", "faint"));
  const rest = (count, all) => (count > all.length ? ` and ${count - all.length} more` : "");
  const lines = element("dl", "");
  const add = (term, ...what) => lines.append(element("dt", "", term), element("dd", "", ...what));
  if (lock.holders.length) add("Holders", list(lock.holders, timeOf), rest(lock.holder_count, lock.holders));
  if (lock.queue_length) add("Queue, in order", list(lock.queue), rest(lock.queue_length, lock.queue));
  if (lock.waiting_writer) add("Writer that waits", element("span", "mono", labelOf(lock.waiting_writer)));
  if (lock.kind !== "fair") add("Waiting processes", lock.waiting === null ? "the server does not tell" : String(lock.waiting));
  if (lock.kind === "election") add("Value of the leader", lock.value);
  if (lock.fence) add("Fencing counter", lock.fence);
  add("Name in hexadecimal", element("span", "mono", lock.key));
  const cell = element("td", "more", lines);
  cell.colSpan = 8;
  return element("tr", "", cell);
}

function rowOf(lock, now) {
  const known = shown.get(lock.id) ?? makeRow(lock);
  if (known.lock !== lock || !shown.has(lock.id)) fillRow(known, lock);
  shown.set(lock.id, known);
  fillTimes(known, now);
  const isOpen = open.has(lock.id);
  known.name.setAttribute("aria-expanded", String(isOpen));
  if (!isOpen) return [known.node];
  known.details ??= makeDetails(lock, (known.times = []));
  known.times.forEach((node, i) => setText(node, ` · ${duration(Math.max(lock.ends[i] - now, 0))}`));
  return [known.node, known.details];
}

// Moves only what stands at another place, so that the focus stays.
function place(body, nodes) {
  let at = body.firstChild;
  for (const node of nodes) {
    if (node === at) at = at.nextSibling;
    else body.insertBefore(node, at);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

export function renderRows() {
  const now = performance.now();
  const all = wanted();
  const visible = all.slice(0, view.limit);
  place(byId("rows"), visible.flatMap((lock) => rowOf(lock, now)));
  const ids = new Set(visible.map((l) => l.id));
  for (const id of shown.keys()) if (!ids.has(id)) shown.delete(id);
  const empty = state.survey.complete ? "No locks are held." : "The first scan of the keys is under way.";
  const cut = state.survey.truncated ? " There are more than the dashboard can keep." : "";
  setText(byId("shown"), (all.length ? `${visible.length} of ${all.length} locks.` : empty) + cut);
  byId("more").hidden = all.length <= view.limit;
}

export function startRows(onRelease) {
  askRelease = onRelease;
  const use = (id, key) => byId(id).addEventListener("input", (e) => {
    view[key] = e.target.value;
    view.limit = 100;
    renderRows();
  });
  use("filter", "filter");
  use("kind", "kind");
  use("order", "order");
  byId("more").addEventListener("click", () => {
    view.limit += 200;
    renderRows();
  });
}
