import { outcomeOf, type Callback } from "./frame-call.ts";
import { clientOf } from "./frame-client.ts";
import { utilsOf, type Mirror } from "./frame-utils.ts";
import type { FromFrame, Known, ToFrame } from "./messages.ts";

/** The document of the app's callbacks: an origin of its own, no network, nothing but messages to the page around it. */

const page = window.parent;
const post = (message: FromFrame) => page.postMessage(message, location.origin);

const callbacks = (): Readonly<Record<string, Callback>> =>
  (globalThis as { __callbacks?: Record<string, Callback> }).__callbacks ?? {};

/** The code waits as text until the form is known, so that it may use `utils` from its first line. */
const load = () => {
  const script = document.createElement("script");
  script.textContent = document.querySelector("#callbacks")?.textContent ?? "";
  let fault: string | undefined;
  const caught = (event: ErrorEvent) => (fault = event.message.replace(/^Uncaught /, ""));
  window.addEventListener("error", caught);
  document.head.append(script);
  window.removeEventListener("error", caught);
  post(fault === undefined ? { t: "ready", names: Object.keys(callbacks()) } : { t: "broken", message: fault });
};

const call = async ({ id, name, value }: Extract<ToFrame, { t: "call" }>) => {
  const callback = callbacks()[name];
  if (!callback) return post({ t: "failed", id, message: `The ${name} function does not exist.` });
  return post({ ...(await outcomeOf(callback, value)), id });
};

const start = (known: Known) => {
  const mirror: Mirror = { known };
  const { client, replied } = clientOf(mirror, post);
  Object.assign(globalThis, { app: { initialized: async () => client }, utils: utilsOf(mirror, post) });
  const heard = (message: ToFrame) => {
    if (message.t === "values") mirror.known = { ...mirror.known, values: message.values };
    if (message.t === "call") void call(message);
    if (message.t === "reply") replied(message);
  };
  load();
  return heard;
};

let heard: ((message: ToFrame) => void) | undefined;
window.addEventListener("message", ({ source, origin, data }: MessageEvent<ToFrame>) => {
  // `location` keeps the address's origin, while the document's own is opaque.
  if (source !== page || origin !== location.origin) return;
  if (heard) heard(data);
  else if (data.t === "start") heard = start(data.known);
});
post({ t: "hello" });
