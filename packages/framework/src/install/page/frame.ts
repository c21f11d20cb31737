import { outcomeOf, type Callback } from "./frame-call.ts";
import { clientOf } from "./frame-client.ts";
import { closeSideDoors, listen, post, tellFaults, textOf } from "./frame-line.ts";
import { utilsOf, type Mirror } from "./frame-utils.ts";
import type { Known, ToFrame } from "./messages.ts";

/** The document of the app's callbacks: an origin of its own, no network, nothing but messages to the page around it. */

const callbacks = (): Readonly<Record<string, Callback>> =>
  (globalThis as { __callbacks?: Record<string, Callback> }).__callbacks ?? {};

/**
 * The code waits as text until the form is known, so that it may use `utils` from its first line. It is evaluated: as an element of
 * its own, it could be put into another frame without what stands before it here.
 */
const load = () => {
  const code = document.querySelector("#callbacks")?.textContent ?? "";
  try {
    // Indirect, so that it runs outside of this function.
    globalThis.eval(`${code}\n//# sourceURL=config/assets/iparams.js`);
  } catch (error) {
    console.error(error);
    return post({ t: "broken", message: `${error instanceof Error ? `${error.name}: ` : ""}${textOf(error)}` });
  }
  tellFaults();
  post({ t: "ready", names: Object.keys(callbacks()) });
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

closeSideDoors();
// Only here, and then, is there still time: a message of the page around would come too late.
window.addEventListener("beforeunload", () => void callbacks()["onFormUnload"]?.());
listen(start);
