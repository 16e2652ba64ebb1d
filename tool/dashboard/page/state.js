// What the page knows: it applies the events of the stream.

const mostEvents = 500;
const mostSamples = 900;

export const state = {
  locks: new Map(), // by id
  events: [], // the newest first
  samples: [],
  survey: { connected: true, words: "", complete: false, pass_ms: 0, since_ms: 0, truncated: false },
  greeting: { pattern: "*", allow_release: false, opened_ms: 0 },
  clockOffset: null, // how far the clock of the dashboard is behind that of the browser
};

// Remaining times become points in time on the browser's steady clock, so that they run without events.
function endsOf(remaining) {
  const now = performance.now();
  return remaining.map((ms) => (ms === null ? Infinity : now + ms));
}

function setEnds(lock, remaining) {
  lock.ends = endsOf(remaining);
  const finite = remaining.filter((ms) => ms !== null);
  lock.lease = Math.max(lock.lease ?? 0, ...finite); // the longest that was seen: the lease time is not on the server
}

function addLock(fresh) {
  fresh.lease = state.locks.get(fresh.id)?.lease;
  setEnds(fresh, fresh.holders.map((h) => h.remaining_ms));
  state.locks.set(fresh.id, fresh);
}

function renew([id, ...remaining]) {
  const lock = state.locks.get(id);
  if (lock) setEnds(lock, remaining);
}

export const apply = {
  hello(greeting) {
    state.greeting = greeting;
    state.locks.clear();
    state.events = [];
    state.samples = [];
    state.clockOffset = null;
  },
  survey(survey) {
    state.survey = survey;
  },
  locks(all) {
    all.forEach(addLock);
  },
  renewals(all) {
    all.forEach(renew);
  },
  removed(ids) {
    ids.forEach((id) => state.locks.delete(id));
  },
  history(events) {
    state.events = events.reverse().concat(state.events).slice(0, mostEvents);
  },
  samples(samples) {
    state.samples = state.samples.concat(samples).slice(-mostSamples);
    const offset = Date.now() - samples.at(-1)[0];
    state.clockOffset = Math.min(state.clockOffset ?? offset, offset);
  },
};

export const wallNow = () => Date.now() - (state.clockOffset ?? 0);
export const isHeld = (lock) => lock.kind !== "free";
export const waitingOf = (lock) => lock.queue_length + (lock.waiting ?? 0);
export const endOf = (lock) => (lock.ends.length ? Math.max(...lock.ends) : Infinity);
