import type { FromFrame, Known, ToFrame } from "./messages.ts";

/** The page around this frame. */
const page = window.parent;

export const post = (message: FromFrame): void => page.postMessage(message, location.origin);

/** Waits for the form to be known; from then on `start`'s answer hears the page. */
export const listen = (start: (known: Known) => (message: ToFrame) => void): void => {
  let heard: ((message: ToFrame) => void) | undefined;
  window.addEventListener("message", ({ source, origin, data }: MessageEvent<ToFrame>) => {
    // `location` keeps the address's origin, while the document's own is opaque.
    if (source !== page || origin !== location.origin) return;
    if (heard) heard(data);
    else if (data.t === "start") heard = start(data.known);
  });
  post({ t: "hello" });
};

export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What breaks outside of any call is told to whoever looks at the page; the console has it anyway. */
export const tellFaults = (): void => {
  const tell = (message: string) => post({ t: "fault", message });
  window.addEventListener("error", ({ message }) => tell(message.replace(/^Uncaught /, "")));
  window.addEventListener("unhandledrejection", ({ reason }) => {
    const failed = reason as { response?: unknown } | null;
    tell(typeof failed === "object" && typeof failed?.response === "string" ? failed.response : textOf(reason));
  });
};

/** Takes away connections between browsers: no policy keeps them from carrying what is typed to anywhere. */
export const closeSideDoors = (): void => {
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (/^(?:webkit)?RTC/.test(name)) Reflect.deleteProperty(globalThis, name);
  }
};
