import type { SiteFile } from "../support/site.ts";
import { htmlPage } from "../support/site.ts";

/** A page that speaks to the script as the panel does: `calls` has what it was told, `user` is the user of its session, `notify` sends a message. */
const SCRIPT = `
const user = { uuid: "u-1", restoreId: "r-1", isNameGenerated: true, meta: {} };
globalThis.calls = [];
globalThis.hasUser = new URLSearchParams(location.search).get("alias") === "returning";
const answers = {
  getUser: () => (hasUser ? user : undefined),
  getUuid: () => ({ uuid: hasUser ? user.uuid : "b-1" }),
  authenticate: (token) => (token === "a.b.c" ? user : undefined),
  setProfile: () => { hasUser = true; notify({ hasSession: true }); return user; },
  clearUser: () => { hasUser = false; notify({ hasSession: false }); return null; },
};
let port;
globalThis.notify = (message) => port.postMessage(message);
addEventListener("message", ({ source, data, ports, origin }) => {
  if (source !== parent || data.parley !== "connect") return;
  globalThis.connected = { options: data.options, origin };
  [port] = ports;
  port.onmessage = ({ data: { id, call, argument } }) => {
    calls.push([call, argument]);
    const answer = (answers[call] ?? (() => null))(argument);
    port.postMessage(answer === undefined ? { id, status: 404, message: "There is no user." } : { id, status: 200, data: answer });
  };
  document.title = "connected";
});
parent.postMessage({ parley: "panel-ready" }, "*");
`;

export const FAKE_PANEL: SiteFile = htmlPage(`<button>Inside</button><script>${SCRIPT}</script>`);
