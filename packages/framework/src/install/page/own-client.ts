import { clientOf } from "./frame-client.ts";
import { rejected, type Outcome } from "./frame-call.ts";
import { listen, post, tellFaults, textOf } from "./frame-line.ts";
import type { Mirror } from "./frame-utils.ts";
import type { Known, ToFrame } from "./messages.ts";

/** The client script of an installation page of the app's own: `app`, and the way to the page's functions. */

const NAMES = ["getConfigs", "postConfigs", "validate"];

/** By evaluation, since a page may declare its functions by `const` too, which no global object has. */
const functionOf = (name: string): ((value?: unknown) => unknown) | undefined =>
  globalThis.eval(`typeof ${name} === "function" ? ${name} : undefined`) as undefined;

/** As JSON has it: what can't be written there can't be kept. */
const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

/**
 * @assumed `validate` passes unless it returns or resolves to false, or to a message; a promise that rejects refuses with its
 * reason. A page without it passes.
 */
const outcomeOf = async (name: string, value: unknown): Promise<Outcome> => {
  const asked = functionOf(name);
  if (!asked) return { t: "failed", message: `The ${name} function does not exist.` };
  let answer: unknown;
  try {
    answer = value === undefined ? asked() : asked(value);
  } catch (error) {
    console.error(error);
    return { t: "failed", message: textOf(error) };
  }
  try {
    const settled = await answer;
    if (name === "validate" && typeof settled === "string" && settled !== "") return { t: "refused", message: settled };
    return { t: "returned", value: plain(settled) };
  } catch (reason) {
    return rejected(reason);
  }
};

let opened: (client: object) => void;
const client = new Promise<object>((resolve) => (opened = resolve));

const start = (known: Known) => {
  const mirror: Mirror = { known };
  const made = clientOf(mirror, post);
  opened(made.client);
  return (message: ToFrame) => {
    if (message.t === "reply") made.replied(message);
    if (message.t === "call")
      void outcomeOf(message.name, message.value).then((said) => post({ ...said, id: message.id }));
  };
};

/** After whatever waits for the page, and for `app.initialized()`, has had its turn. */
const ready = () =>
  void client.then(() => setTimeout(() => post({ t: "ready", names: NAMES.filter((name) => functionOf(name)) })));

/** Of its content: what scrolls is never lower than the frame itself. */
const follow = () => {
  const whole = document.documentElement;
  const tell = () => post({ t: "size", height: whole.getBoundingClientRect().height });
  new ResizeObserver(tell).observe(whole);
  tell();
};

/**
 * Tells of what a person types or chooses; what the page's own code does with its controls is no edit. At the window and first of all, so that no
 * listener of the page keeps it back.
 * @assumed A page with controls of its own making, which only hear clicks, is not known to be changed.
 */
const tellEdits = () => {
  for (const type of ["input", "change"])
    window.addEventListener(type, ({ isTrusted }) => isTrusted && post({ t: "edited" }), { capture: true });
};

// An older page may load the client by several names.
if (!("app" in globalThis)) {
  Object.assign(globalThis, { app: { initialized: () => client }, frsh_init: () => client });
  tellFaults();
  tellEdits();
  listen(start);
  const loaded = () => {
    follow();
    ready();
  };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", loaded);
  else loaded();
}
