import { callbackOutcome, type FormCallback } from "./frame-call.ts";
import {
  createInstallClient,
  removePeerConnections,
  listenToPage,
  postToPage,
  reportUncaughtErrors,
  errorMessage,
  createFormUtils,
  type FormMirror,
} from "./frame-client.ts";
import type { FormSnapshot, CallbackFrameRequest } from "./messages.ts";

/** The document of the app's callbacks: its own origin, no network access, only messages to the page around it. */

const callbacks = (): Readonly<Record<string, FormCallback>> =>
  (globalThis as { __callbacks?: Record<string, FormCallback> }).__callbacks ?? {};

/**
 * The code is kept as text until the form's values are known, so that it can use `utils` from its first line. It is evaluated: as a script element
 * it could be inserted into another frame without the restrictions of this frame.
 */
const load = () => {
  const code = document.querySelector("#callbacks")?.textContent ?? "";
  try {
    // Indirect eval, which runs in the global scope.
    globalThis.eval(`${code}\n//# sourceURL=config/assets/iparams.js`);
  } catch (error) {
    console.error(error);
    return postToPage({
      t: "broken",
      message: `${error instanceof Error ? `${error.name}: ` : ""}${errorMessage(error)}`,
    });
  }
  reportUncaughtErrors();
  postToPage({ t: "ready", names: Object.keys(callbacks()) });
};

const call = async ({ id, name, value }: Extract<CallbackFrameRequest, { t: "call" }>) => {
  const callback = callbacks()[name];
  if (!callback) return postToPage({ t: "failed", id, message: `The ${name} function does not exist.` });
  return postToPage({ ...(await callbackOutcome(callback, value)), id });
};

const start = (form: FormSnapshot) => {
  const mirror: FormMirror = { form };
  const { client, replied } = createInstallClient(mirror, postToPage);
  Object.assign(globalThis, { app: { initialized: async () => client }, utils: createFormUtils(mirror, postToPage) });
  const receive = (message: CallbackFrameRequest) => {
    if (message.t === "values") mirror.form = { ...mirror.form, values: message.values };
    if (message.t === "call") void call(message);
    if (message.t === "reply") replied(message);
  };
  load();
  return receive;
};

removePeerConnections();
// In the frame itself: a message from the page would arrive too late.
window.addEventListener("beforeunload", () => void callbacks()["onFormUnload"]?.());
listenToPage(start);
