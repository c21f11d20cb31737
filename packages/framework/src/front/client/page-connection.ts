import { surroundingOrigin } from "../../pages/browser/frame-origin.ts";
import { HELLO, WELCOME, type FrameContext, type AppFrameMessage, type AppFrameUpdate } from "../browser/messages.ts";

type Call = AppFrameMessage extends infer M ? (M extends { readonly id: number } ? Omit<M, "id"> : never) : never;

/** The frame's connection to the page around it. */
export interface PageConnection {
  readonly context: FrameContext;
  /** -> the page's answer; rejects with `{status, message}` and further members */
  call(call: Exclude<Call, { readonly t: "decision" }>): Promise<unknown>;
  send(message: Extract<AppFrameMessage, { t: "listen" | "decision" }>): void;
  onMessage(listener: (message: Extract<AppFrameUpdate, { t: "event" | "message" }>) => void): void;
}

/** @units milliseconds */
const CONNECT_TIMEOUT_MS = 10_000;

const NOT_EMBEDDED = {
  status: 400,
  message: "This page of the app stands by itself: open the host page, /, and the app beside a conversation there.",
};
const TIMED_OUT = { status: 504, message: "The host page did not answer. Reload it." };

/** The field's promises reject with an object with these members, not with an Error. */
const rejectWith = (
  reject: (failure: unknown) => void,
  failure: { readonly status: number; readonly message: string },
) => reject(failure);

/** Kept here, because a frame that loses the focus does not keep its focused element. */
let focused: Element | null = null;
document.addEventListener("focusin", ({ target }) => void (focused = target instanceof HTMLElement ? target : null));
const restoreFocus = () => void (focused instanceof HTMLElement && focused.isConnected && focused.focus());

const connectionOn = (port: MessagePort, context: FrameContext): PageConnection => {
  const pending = new Map<number, { resolve: (value: unknown) => void; reject: (failure: unknown) => void }>();
  const listeners = new Set<Parameters<PageConnection["onMessage"]>[0]>();
  let lastId = 0;

  port.onmessage = ({ data }: MessageEvent<AppFrameUpdate>) => {
    if (data.t === "focus") return restoreFocus();
    if (data.t !== "reply") return listeners.forEach((listener) => listener(data));
    const { resolve, reject } = pending.get(data.id) ?? {};
    pending.delete(data.id);
    if ("failure" in data) reject?.(data.failure);
    else resolve?.(data.value);
  };

  return {
    context,
    call: (call) =>
      new Promise((resolve, reject) => {
        const id = (lastId += 1);
        pending.set(id, { resolve, reject });
        try {
          // Messages to the host are limited to JSON.
          port.postMessage(JSON.parse(JSON.stringify({ ...call, id })));
        } catch (error) {
          pending.delete(id);
          rejectWith(reject, { status: 400, message: `The arguments can't be sent: ${String(error)}` });
        }
      }),
    send: (message) => port.postMessage(message),
    onMessage: (listener) => void listeners.add(listener),
  };
};

/** Connects to the parent page and waits for its answer. */
export const connectToPage = (): Promise<PageConnection> =>
  new Promise((resolve, reject) => {
    if (window.parent === window) return rejectWith(reject, NOT_EMBEDDED);
    const timer = setTimeout(() => rejectWith(reject, TIMED_OUT), CONNECT_TIMEOUT_MS);
    const receiveWelcome = ({
      source,
      origin,
      data,
      ports,
    }: MessageEvent<{ t?: unknown; context?: FrameContext } | undefined>) => {
      const [port] = ports;
      if (source !== window.parent || data?.t !== WELCOME || !data.context || !port || origin !== surroundingOrigin())
        return;
      clearTimeout(timer);
      window.removeEventListener("message", receiveWelcome);
      resolve(connectionOn(port, data.context));
    };
    window.addEventListener("message", receiveWelcome);
    // The message contains nothing confidential, so any origin may receive it.
    window.parent.postMessage({ t: HELLO }, "*");
  });
