import {
  createInstallClient,
  listenToPage,
  postToPage,
  reportUncaughtErrors,
  errorMessage,
  type FormMirror,
} from "./frame-client.ts";
import { rejectionOutcome, type CallbackOutcome } from "./frame-call.ts";
import type { FormSnapshot, CallbackFrameRequest } from "./messages.ts";

/** The client script of an app's own installation page: `app`, and access to the page's functions. */

const NAMES = ["getConfigs", "postConfigs", "validate"];

/** Evaluated by name, because a page may declare its functions by `const`, which does not define properties of the global object. */
const functionOf = (name: string): ((value?: unknown) => unknown) | undefined =>
  globalThis.eval(`typeof ${name} === "function" ? ${name} : undefined`) as undefined;

/** A copy by JSON: other values can't be stored. */
const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

/**
 * @assumed `validate` passes unless it returns or resolves to false or to a message; a promise that rejects refuses with its
 * reason. A page without the function passes.
 */
const outcomeOf = async (name: string, value: unknown): Promise<CallbackOutcome> => {
  const pageFunction = functionOf(name);
  if (!pageFunction) return { t: "failed", message: `The ${name} function does not exist.` };
  let answer: unknown;
  try {
    answer = value === undefined ? pageFunction() : pageFunction(value);
  } catch (error) {
    console.error(error);
    return { t: "failed", message: errorMessage(error) };
  }
  try {
    const settled = await answer;
    if (name === "validate" && typeof settled === "string" && settled !== "") return { t: "refused", message: settled };
    return { t: "returned", value: plain(settled) };
  } catch (reason) {
    return rejectionOutcome(reason);
  }
};

let opened: (client: object) => void;
const client = new Promise<object>((resolve) => (opened = resolve));

const start = (form: FormSnapshot) => {
  const mirror: FormMirror = { form };
  const installClient = createInstallClient(mirror, postToPage);
  opened(installClient.client);
  return (message: CallbackFrameRequest) => {
    if (message.t === "reply") installClient.replied(message);
    if (message.t === "call")
      void outcomeOf(message.name, message.value).then((outcome) => postToPage({ ...outcome, id: message.id }));
  };
};

/** Deferred, so that handlers that wait for the page and for `app.initialized()` run first. */
const ready = () =>
  void client.then(() => setTimeout(() => postToPage({ t: "ready", names: NAMES.filter((name) => functionOf(name)) })));

/** Measures the content: a scrolling element is never lower than the frame itself. */
const follow = () => {
  const root = document.documentElement;
  const reportSize = () => postToPage({ t: "size", height: root.getBoundingClientRect().height });
  new ResizeObserver(reportSize).observe(root);
  reportSize();
};

/**
 * Reports input by the user; changes by the page's own code are not reported. Listens at the window in the capture phase, so that no listener of the page can
 * stop the event.
 * @assumed On a page with custom controls that only receive clicks, changes are not detected.
 */
const reportEdits = () => {
  for (const type of ["input", "change"])
    window.addEventListener(type, ({ isTrusted }) => isTrusted && postToPage({ t: "edited" }), { capture: true });
};

/** Reports scripts that could not be loaded: the page would stay incomplete without any error. */
const reportMissingScripts = () =>
  window.addEventListener(
    "error",
    ({ target }) => {
      if (target instanceof HTMLScriptElement)
        postToPage({ t: "fault", message: `The script ${target.getAttribute("src") ?? ""} could not be loaded.` });
    },
    { capture: true },
  );

/** Elements that show something without text. */
const VISIBLE_WITHOUT_TEXT =
  "input, select, textarea, button, img, svg, canvas, video, iframe, object, progress, meter";
/** Time that a page may take to show something after it was loaded. @units milliseconds */
const BLANK_AFTER_MS = 3_000;

const hasArea = (element: Element): boolean => {
  const { width, height } = element.getBoundingClientRect();
  return width > 0 && height > 0;
};

/** @assumed A custom element shows something if it has an area: its content can't be seen from outside. */
const showsSomething = (): boolean =>
  document.body.innerText.trim() !== "" ||
  [...document.body.querySelectorAll("*")].some(
    (element) => (element.matches(VISIBLE_WITHOUT_TEXT) || element.localName.includes("-")) && hasArea(element),
  );

/** Reports a page that shows nothing, and later that it shows something. */
const reportBlank = () =>
  setTimeout(() => {
    if (showsSomething()) return;
    postToPage({ t: "blank", isBlank: true });
    const observer = new MutationObserver(() => {
      if (!showsSomething()) return;
      observer.disconnect();
      postToPage({ t: "blank", isBlank: false });
    });
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  }, BLANK_AFTER_MS);

// An older page may load the client under several names.
if (!("app" in globalThis)) {
  Object.assign(globalThis, { app: { initialized: () => client }, frsh_init: () => client });
  reportUncaughtErrors();
  reportMissingScripts();
  reportEdits();
  listenToPage(start);
  const loaded = () => {
    follow();
    ready();
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", loaded);
  else loaded();
  window.addEventListener("load", reportBlank);
}
