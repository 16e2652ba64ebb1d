// The history of changes, the newest first.

import { byId, element } from "/dom.js";
import { state } from "/state.js";
import { shortId, timeOfDay } from "/words.js";

const mostShown = 150;
const classes = { acquired: "good", connected: "good", disconnected: "warn", "force released": "warn" };

function lineOf(event) {
  const what = element("span", `what ${classes[event.what] ?? ""}`, event.what);
  const body = element("div", "", what, " ", event.name ?? event.words ?? "");
  if (event.holder) {
    const id = element("div", "mono", shortId(event.holder.id), event.holder.label ? ` (${event.holder.label})` : "");
    id.title = event.holder.id;
    body.append(id);
  }
  return element("li", "", element("time", "", timeOfDay(event.wall_ms)), body);
}

export function renderHistory() {
  const list = byId("history");
  const events = state.events.slice(0, mostShown);
  // Events are never changed, so the lines of those that were shown stay.
  const known = list.made ?? new Map();
  const lines = new Map(events.map((e) => [e, known.get(e) ?? lineOf(e)]));
  list.made = lines;
  list.replaceChildren(...lines.values());
  byId("quiet").hidden = events.length > 0;
}
