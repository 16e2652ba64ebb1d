// The curves: two lines over the last half hour at most.

import { byId, shape } from "/dom.js";
import { state } from "/state.js";
import { timeOfDay } from "/words.js";

const [height, left, bottom, top] = [140, 40, 18, 8];

// The next of 1, 2, 5, 10, 20 ... above it, for the upper end of the axis.
function ceiling(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= value);
}

function pathOf(points, most, width) {
  const [first, last] = [points[0][0], points.at(-1)[0]];
  const x = (t) => left + ((t - first) / Math.max(last - first, 1)) * (width - left);
  const y = (v) => height - bottom - (v / most) * (height - bottom - top);
  return points.map(([t, v], i) => `${i ? "L" : "M"}${x(t).toFixed(1)},${y(v).toFixed(1)}`).join("");
}

function draw(svg, lines) {
  const width = Math.max(svg.clientWidth, 100); // one unit is one pixel, so that texts keep their size
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const most = ceiling(Math.max(...lines.flat().map(([, v]) => v)));
  const parts = [0, 0.5, 1].map((share) => {
    const y = height - bottom - share * (height - bottom - top);
    return [
      shape("path", { class: "grid", d: `M${left},${y}L${width},${y}` }),
      shape("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, (most * share).toLocaleString()),
    ];
  });
  const times = [lines[0][0][0], lines[0].at(-1)[0]];
  svg.replaceChildren(
    ...parts.flat(),
    shape("text", { x: left, y: height - 4 }, timeOfDay(times[0])),
    shape("text", { x: width, y: height - 4, "text-anchor": "end" }, timeOfDay(times[1])),
    ...lines.map((points, i) => shape("path", { class: i ? "line-b" : "line-a", d: pathOf(points, most, width) })),
  );
}

export function renderCharts() {
  const all = state.samples;
  if (all.length < 2) return;
  draw(byId("chart-locks"), [all.map((s) => [s[0], s[1]]), all.map((s) => [s[0], s[2]])]);
  // The first sample has no predecessor, so no rate.
  const rate = (column) =>
    all.slice(1).map((s, i) => [s[0], s[column] / Math.max((s[0] - all[i][0]) / 1000, 0.001)]);
  if (all.length > 2) draw(byId("chart-rates"), [rate(3), rate(4)]);
}

// The rate of grants over the last samples.
export function grantRate() {
  const all = state.samples.slice(-6);
  if (all.length < 2) return null;
  const seconds = (all.at(-1)[0] - all[0][0]) / 1000;
  return all.slice(1).reduce((sum, s) => sum + s[3], 0) / Math.max(seconds, 0.001);
}
