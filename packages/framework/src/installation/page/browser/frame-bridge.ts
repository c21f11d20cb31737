import type { InstallRequestAnswer } from "@parley/contract";
import type { CallbackOutcome } from "./frame-call.ts";
import {
  parseCallbackFrameMessage,
  type CallbackValue,
  type CallbackFrameMessage,
  type FormSnapshot,
  type CallbackFrameRequest,
} from "./messages.ts";

/** A callback that has not answered by then has failed. @units milliseconds */
const callTimeoutMs = 20_000;
/** A frame that is caught in a loop hears nothing any more. */
const LATE = `It did not answer within ${callTimeoutMs / 1_000} seconds. Open this page anew to try again.`;
/** A page of the app's own may have to wait for somebody else's components. @units milliseconds */
const startTimeoutMs = 30_000;

interface FrameBridgeDeps {
  /** Address of the frame's document. */
  readonly address: string;
  readonly known: () => FormSnapshot;
  readonly set: (message: Extract<CallbackFrameMessage, { t: "set" }>) => void;
  /** Something of the app broke outside of any call. */
  readonly fault: (message: string) => void;
  /** A person changed something in the frame's document. */
  readonly edited?: () => void;
  /** The frame's document has another height. @units pixels */
  readonly resized?: (height: number) => void;
  readonly request: (message: Extract<CallbackFrameMessage, { t: "ask" }>) => Promise<InstallRequestAnswer>;
}

export interface FrameBridge {
  /** Names of the functions that are there. @errors what is wrong with the app's file */
  readonly ready: Promise<readonly string[]>;
  call(name: string, value?: CallbackValue): Promise<CallbackOutcome>;
  /** Lets the frame know what is typed. */
  tell(): void;
}

const failed = (message: string): CallbackOutcome => ({ t: "failed", message });

const within = <T>(work: Promise<T>, milliseconds: number, late: () => T | Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(late()), milliseconds);
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });

/** Connects the page with the frame in which the app's callbacks live. */
export const connectFrame = (frame: HTMLIFrameElement, deps: FrameBridgeDeps): FrameBridge => {
  const waiting = new Map<number, (outcome: CallbackOutcome) => void>();
  let calls = 0;
  let settle: { ready: (names: readonly string[]) => void; broken: (error: Error) => void };
  const started = new Promise<readonly string[]>((ready, broken) => (settle = { ready, broken }));

  // The frame's origin is opaque and can't be named; `frame-src 'self'` keeps every other document out of it.
  const post = (message: CallbackFrameRequest) => frame.contentWindow?.postMessage(message, "*");

  const answer = async (message: Extract<CallbackFrameMessage, { t: "ask" }>) =>
    post({ t: "reply", id: message.id, ...(await deps.request(message)) });

  const heard = (message: CallbackFrameMessage) => {
    switch (message.t) {
      case "hello":
        return post({ t: "start", known: deps.known() });
      case "ready":
        return settle.ready(message.names);
      case "broken":
        return settle.broken(new Error(message.message));
      case "set":
        deps.set(message);
        return tellSoon();
      case "fault":
        return deps.fault(message.message);
      case "edited":
        return deps.edited?.();
      case "size":
        return deps.resized?.(message.height);
      case "ask":
        return void answer(message);
      default:
        waiting.get(message.id)?.(message);
        return waiting.delete(message.id);
    }
  };

  window.addEventListener("message", ({ source, origin, data }: MessageEvent<unknown>) => {
    // An opaque origin is written "null".
    if (source !== frame.contentWindow || origin !== "null") return;
    const message = parseCallbackFrameMessage(data);
    if (message) heard(message);
  });

  // Only now is somebody listening to its first word.
  frame.src = deps.address;

  const ready = within(started, startTimeoutMs, () => Promise.reject(new Error("They did not start.")));
  ready.catch(() => undefined);

  const tell = () => post({ t: "values", values: deps.known().values });
  /** Once for all that a callback sets at a stretch. */
  let soon: ReturnType<typeof setTimeout> | undefined;
  const tellSoon = () => {
    clearTimeout(soon);
    soon = setTimeout(tell);
  };

  const send = (name: string, value?: CallbackValue) =>
    new Promise<CallbackOutcome>((resolve) => {
      const id = (calls += 1);
      waiting.set(id, resolve);
      tell();
      post(value === undefined ? { t: "call", id, name } : { t: "call", id, name, value });
    });

  return {
    ready,
    tell,
    async call(name, value) {
      try {
        await ready;
      } catch (error) {
        return failed(error instanceof Error ? error.message : String(error));
      }
      return within(send(name, value), callTimeoutMs, () => failed(LATE));
    },
  };
};
