// Keeps the stream of events open.

import { apply } from "/state.js";

const retryAfter = 3000;

// `changed` is called after each event, `lost(isLost)` when the dashboard stops answering or answers again, and
// `refused()` when it wants a token: it returns a promise for the next attempt.
export function openStream({ changed, lost, refused }) {
  const source = new EventSource("/api/events");
  const reopen = () => openStream({ changed, lost, refused });
  source.onopen = () => lost(false);
  source.onerror = async () => {
    lost(true);
    if (source.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
    if ((await statusOf("/metrics")) === 401) await refused();
    else await new Promise((done) => setTimeout(done, retryAfter));
    reopen();
  };
  for (const [name, use] of Object.entries(apply))
    source.addEventListener(name, (e) => {
      use(JSON.parse(e.data));
      changed(name);
    });
}

export async function statusOf(path) {
  try {
    return (await fetch(path, { method: "HEAD" })).status;
  } catch {
    return 0;
  }
}
