// Turns numbers into words.

export function duration(ms) {
  if (ms === Infinity) return "for ever";
  const s = ms / 1000;
  if (s < 60) return `${s.toFixed(1)} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${Math.floor(s % 60)} s`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86400)} d ${Math.floor((s % 86400) / 3600)} h`;
}

// Without tenths: for a number that grows.
export function wholeDuration(ms) {
  return ms < 60000 ? `${Math.floor(ms / 1000)} s` : duration(ms);
}

export const timeOfDay = (wallMs) => new Date(wallMs).toLocaleTimeString([], { hour12: false });

// "<uuid>:<n>" without the middle of the UUID.
export function shortId(id) {
  return id.replace(/^([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?=:)/, "$1…");
}
