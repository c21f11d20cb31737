import {
  FIRST_MESSAGE,
  WELCOME,
  type FrameContext,
  type AppFrameMessage,
  type AppFrameUpdate,
} from "../page/messages.ts";

type Call = AppFrameMessage extends infer M ? (M extends { readonly id: number } ? Omit<M, "id"> : never) : never;

/** The frame's connection to the page around it. */
export interface PageConnection {
  readonly context: FrameContext;
  /** -> the page's answer; rejects with `{status, message}` and further members */
  ask(call: Exclude<Call, { readonly t: "word" }>): Promise<unknown>;
  say(message: Extract<AppFrameMessage, { t: "listen" | "word" }>): void;
  hear(listener: (message: Extract<AppFrameUpdate, { t: "event" | "message" }>) => void): void;
}

/** @units milliseconds */
const connectTimeoutMs = 10_000;

const NOT_EMBEDDED = {
  status: 400,
  message: "This page of the app stands by itself: open the host page, /, and the app beside a conversation there.",
};
const TIMED_OUT = { status: 504, message: "The host page did not answer. Reload it." };

/** Whether the parent page belongs to the host that served this script: another host name at the same port. */
const isHost = (origin: string): boolean => {
  const { hostname, port } = new URL(origin);
  return port === location.port && (hostname === "127.0.0.1" || /(^|\.)localhost$/.test(hostname));
};

/** The field's promises reject with an object with these members, not with an Error. */
const fail = (reject: (failure: unknown) => void, failure: { readonly status: number; readonly message: string }) =>
  reject(failure);

/** Kept here, because a frame that loses the focus does not keep its focused element. */
let focused: Element | null = null;
document.addEventListener("focusin", ({ target }) => void (focused = target instanceof HTMLElement ? target : null));
const focusAgain = () => void (focused instanceof HTMLElement && focused.isConnected && focused.focus());

const lineOn = (port: MessagePort, context: FrameContext): PageConnection => {
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (failure: unknown) => void }>();
  const listeners = new Set<Parameters<PageConnection["hear"]>[0]>();
  let asked = 0;

  port.onmessage = ({ data }: MessageEvent<AppFrameUpdate>) => {
    if (data.t === "focus") return focusAgain();
    if (data.t !== "reply") return listeners.forEach((listener) => listener(data));
    const { resolve, reject } = waiting.get(data.id) ?? {};
    waiting.delete(data.id);
    if ("failure" in data) reject?.(data.failure);
    else resolve?.(data.value);
  };

  return {
    context,
    ask: (call) =>
      new Promise((resolve, reject) => {
        const id = (asked += 1);
        waiting.set(id, { resolve, reject });
        try {
          // Messages to the host are limited to JSON.
          port.postMessage(JSON.parse(JSON.stringify({ ...call, id })));
        } catch (error) {
          waiting.delete(id);
          fail(reject, { status: 400, message: `The arguments can't be sent: ${String(error)}` });
        }
      }),
    say: (message) => port.postMessage(message),
    hear: (listener) => void listeners.add(listener),
  };
};

/** Connects to the parent page and waits for its answer. */
export const connectToPage = (): Promise<PageConnection> =>
  new Promise((resolve, reject) => {
    if (window.parent === window) return fail(reject, NOT_EMBEDDED);
    const timer = setTimeout(() => fail(reject, TIMED_OUT), connectTimeoutMs);
    const heard = ({
      source,
      origin,
      data,
      ports,
    }: MessageEvent<{ t?: unknown; context?: FrameContext } | undefined>) => {
      const [port] = ports;
      if (source !== window.parent || data?.t !== WELCOME || !data.context || !port || !isHost(origin)) return;
      clearTimeout(timer);
      window.removeEventListener("message", heard);
      resolve(lineOn(port, data.context));
    };
    window.addEventListener("message", heard);
    // The message contains nothing confidential, so any origin may receive it.
    window.parent.postMessage({ t: FIRST_MESSAGE }, "*");
  });
