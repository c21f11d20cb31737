import type { InstallRequestAnswer } from "@parley/contract";
import type { MessageOrigins } from "../../../pages/browser/frame-origin.ts";
import type { CallbackOutcome } from "./frame-call.ts";
import {
  parseCallbackFrameMessage,
  type CallbackValue,
  type CallbackFrameMessage,
  type FormSnapshot,
  type CallbackFrameRequest,
} from "./messages.ts";

/** Time limit of a callback. @units milliseconds */
const CALL_TIMEOUT_MS = 20_000;
/** Shown because a frame in an endless loop processes no further messages. */
const TIMEOUT_MESSAGE = `It did not answer within ${CALL_TIMEOUT_MS / 1_000} seconds. Open this page anew to try again.`;
/** An app's own page may have to load components from elsewhere. @units milliseconds */
const START_TIMEOUT_MS = 30_000;

interface FrameBridgeDeps {
  /** Address of the frame's document. */
  readonly address: string;
  readonly origins: MessageOrigins;
  readonly formSnapshot: () => FormSnapshot;
  readonly set: (message: Extract<CallbackFrameMessage, { t: "set" }>) => void;
  /** Called for an error outside of any call. */
  readonly fault: (message: string) => void;
  /** Called when the user changes something in the frame's document. */
  readonly edited?: () => void;
  /** Called when the frame's document has shown nothing for a while, and when it shows something after that. */
  readonly blank?: (isBlank: boolean) => void;
  /** Called when the height of the frame's document changes. @units pixels */
  readonly resized?: (height: number) => void;
  readonly request: (message: Extract<CallbackFrameMessage, { t: "ask" }>) => Promise<InstallRequestAnswer>;
}

export interface FrameBridge {
  /** Names of the defined functions. @errors Error with the error in the app's file */
  readonly ready: Promise<readonly string[]>;
  call(name: string, value?: CallbackValue): Promise<CallbackOutcome>;
  /** Sends the present values of the form to the frame. */
  sendValues(): void;
}

const failed = (message: string): CallbackOutcome => ({ t: "failed", message });

const within = <T>(work: Promise<T>, milliseconds: number, late: () => T | Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(late()), milliseconds);
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });

/** Connects the page with the frame that runs the app's callbacks. */
export const connectFrame = (frame: HTMLIFrameElement, deps: FrameBridgeDeps): FrameBridge => {
  const waiting = new Map<number, (outcome: CallbackOutcome) => void>();
  let calls = 0;
  let settle: { ready: (names: readonly string[]) => void; broken: (error: Error) => void };
  const started = new Promise<readonly string[]>((ready, broken) => (settle = { ready, broken }));

  const { from, to } = deps.origins;
  // Where the origin can't be named, `frame-src` prevents other documents in the frame.
  const post = (message: CallbackFrameRequest) => frame.contentWindow?.postMessage(message, to);

  const answer = async (message: Extract<CallbackFrameMessage, { t: "ask" }>) =>
    post({ t: "reply", id: message.id, ...(await deps.request(message)) });

  const receive = (message: CallbackFrameMessage) => {
    switch (message.t) {
      case "hello":
        return post({ t: "start", formSnapshot: deps.formSnapshot() });
      case "ready":
        return settle.ready(message.names);
      case "broken":
        return settle.broken(new Error(message.message));
      case "set":
        deps.set(message);
        return scheduleSend();
      case "fault":
        return deps.fault(message.message);
      case "edited":
        return deps.edited?.();
      case "blank":
        return deps.blank?.(message.isBlank);
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
    if (source !== frame.contentWindow || origin !== from) return;
    const message = parseCallbackFrameMessage(data);
    if (message) receive(message);
  });

  // Set after the listener for the frame's first message.
  frame.src = deps.address;

  const ready = within(started, START_TIMEOUT_MS, () => Promise.reject(new Error("It did not start.")));
  ready.catch(() => undefined);

  const sendValues = () => post({ t: "values", values: deps.formSnapshot().values });
  /** Sends one message for all changes that a callback makes in succession. */
  let soon: ReturnType<typeof setTimeout> | undefined;
  const scheduleSend = () => {
    clearTimeout(soon);
    soon = setTimeout(sendValues);
  };

  const send = (name: string, value?: CallbackValue) =>
    new Promise<CallbackOutcome>((resolve) => {
      const id = (calls += 1);
      waiting.set(id, resolve);
      sendValues();
      post(value === undefined ? { t: "call", id, name } : { t: "call", id, name, value });
    });

  return {
    ready,
    sendValues,
    async call(name, value) {
      try {
        await ready;
      } catch (error) {
        return failed(error instanceof Error ? error.message : String(error));
      }
      return within(send(name, value), CALL_TIMEOUT_MS, () => failed(TIMEOUT_MESSAGE));
    },
  };
};
