// The two dialogs: for the token, and for a forced release.

import { byId } from "/dom.js";
import { shortId } from "/words.js";

function post(path, body) {
  return fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
}

const login = async (token) => (await post("/api/login", { token })).ok;

// The token behind the # of the URL. It is removed there: the address may be copied or shown.
export async function useTokenOfAddress() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return;
  history.replaceState(null, "", location.pathname);
  await login(token);
}

// Asks for the token until it is right.
export function askToken() {
  const dialog = byId("login");
  const input = byId("login-token");
  if (!dialog.open) dialog.showModal();
  return new Promise((done) => {
    dialog.oncancel = (e) => e.preventDefault();
    dialog.querySelector("form").onsubmit = async (e) => {
      e.preventDefault();
      const isRight = await login(input.value.trim());
      byId("login-error").textContent = isRight ? "" : "This token is wrong.";
      input.value = "";
      if (!isRight) return;
      dialog.close();
      done();
    };
  });
}

// The server checks the name and the holder again.
export function askRelease(lock) {
  const [dialog, input, button, result] = ["release", "release-confirm", "release-do", "release-result"].map(byId);
  const holder = lock.holders[0];
  byId("release-name").textContent = lock.name;
  byId("release-holder").textContent = holder.label ? `${shortId(holder.id)} (${holder.label})` : shortId(holder.id);
  input.value = "";
  button.disabled = true;
  result.textContent = "";
  result.className = "";
  input.oninput = () => (button.disabled = input.value !== lock.name);
  byId("release-cancel").onclick = () => dialog.close();
  dialog.querySelector("form").onsubmit = async (e) => {
    e.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    const reply = await post("/api/release", { key: lock.key, confirm: input.value, holder: holder.id }).catch(() => null);
    result.className = reply?.ok ? "" : "bad";
    result.textContent = reply ? await reply.text() : "The dashboard does not answer.";
  };
  dialog.showModal();
}
