// Starts the page, and draws it when something has changed and once a second.

import { grantRate, renderCharts } from "/charts.js";
import { askRelease, askToken, useTokenOfAddress } from "/dialogs.js";
import { byId, setText } from "/dom.js";
import { renderHistory } from "/history.js";
import { renderRows, startRows } from "/rows.js";
import { isHeld, state } from "/state.js";
import { openStream, statusOf } from "/stream.js";
import { duration, timeOfDay } from "/words.js";

let isLost = true;
const dirty = new Set();

function renderSums() {
  let held = 0, waiting = 0, queued = 0;
  for (const lock of state.locks.values()) {
    held += isHeld(lock);
    waiting += lock.waiting ?? 0;
    queued += lock.queue_length;
  }
  setText(byId("sum-held"), held.toLocaleString());
  setText(byId("sum-waiting"), waiting.toLocaleString());
  setText(byId("sum-queued"), queued.toLocaleString());
  const rate = grantRate();
  setText(byId("sum-rate"), rate === null ? "–" : rate.toFixed(1));
}

function renderStatus() {
  const { survey, greeting } = state;
  const pill = byId("status");
  const silent = survey.silent ?? [];
  const isGood = !isLost && survey.connected && silent.length === 0;
  pill.className = `pill ${isGood ? "good" : "lost"}`;
  const redis = !survey.connected ? "Redis does not answer" : silent.length > 0 ? "a primary does not answer" : "live";
  setText(pill, isLost ? "dashboard does not answer" : redis);
  byId("banner").hidden = isGood;
  const since = timeOfDay(survey.since_ms);
  const words = isLost
    ? "The dashboard does not answer; the page tries again. It shows what it knew before."
    : survey.connected
      ? `No answer from ${silent.join(", ")}. Of the locks there the page shows what was known before.`
      : `Redis does not answer since ${since}: ${survey.words}. The page shows what was known before.`;
  if (!isGood) setText(byId("banner"), words);
  byId("table").classList.toggle("stale", isLost || !survey.connected);
  const pass = survey.pass_ms >= 1000 ? `a scan takes ${duration(survey.pass_ms)}` : "";
  setText(byId("pass"), survey.complete ? pass : "the first scan is under way: not all locks are shown yet");
  byId("pattern").hidden = greeting.pattern === "*";
  setText(byId("pattern"), greeting.pattern);
  setText(byId("opened"), greeting.opened_ms ? `since ${timeOfDay(greeting.opened_ms)}` : "");
}

function render() {
  renderStatus();
  renderSums();
  renderRows();
  if (dirty.has("history") || dirty.has("hello")) renderHistory();
  if (dirty.has("samples")) renderCharts();
  dirty.clear();
}

// Several events arrive at once when the page begins; they are drawn together.
let isScheduled = false;
function changed(what) {
  dirty.add(what);
  if (isScheduled) return;
  isScheduled = true;
  setTimeout(() => {
    isScheduled = false;
    render();
  }, 200);
}

function lost(is) {
  isLost = is;
  renderStatus();
}

startRows(askRelease);
setInterval(() => document.hidden || render(), 1000);
addEventListener("resize", () => changed("samples"));
await useTokenOfAddress();
if ((await statusOf("/metrics")) === 401) await askToken();
openStream({ changed, lost, refused: askToken });
