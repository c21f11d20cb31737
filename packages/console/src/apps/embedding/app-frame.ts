import type {
  ComposerElement,
  ConsoleApp,
  ConsoleMessage,
  ElementChange,
  EmbedFailure,
  EmbedRequest,
  EMBED_HELLO,
  EMBED_VERSION,
  EMBED_WELCOME,
  InterceptedEvent,
  NoticeKind,
  TextPosition,
} from "@parley/contract";
import { isRecord, isRequest, parseEmbedMessage } from "./embed-messages.ts";
import { createWindowCover } from "./window-cover.ts";

/**
 * One place of an app in a frame: `/embed` of the app's page host, another origin. Messages are described in the contract (`app/embed.ts`).
 *
 *   loading ──hello──► connected ──hello, after a reload of the frame──► connected
 *   any state ──destroy()──► destroyed
 *
 * The last `open` and `activate` are kept, and sent with each connection. An action of the agent that can't be decided proceeds.
 */
export interface AppFrame {
  /** Shows the app for a conversation. Restore what the app hid or disabled first. @shape conversation: undefined without an open conversation */
  open(conversation: string | undefined, agent: string): void;
  /** The place becomes visible. */
  activate(): void;
  /** The place is covered or left; the app keeps running. */
  deactivate(): void;
  /**
   * Waits until the app allows an action of the agent; at once where it does not intercept the event.
   * @errors AppStopped with the app's reason
   */
  intercept(event: InterceptedEvent, data: unknown): Promise<void>;
  /** Removes the frame. */
  destroy(): void;
}

/** Actions of an app on the console. A handler that throws an Error rejects the app's promise with its message. */
export interface AppFrameHandlers {
  notify(notice: { readonly kind: NoticeKind; readonly title: string; readonly message: string }): void;
  /** -> whether the agent confirmed */
  confirm(question: {
    readonly title: string;
    readonly message: string;
    readonly saveLabel: string;
    readonly cancelLabel: string;
  }): Promise<boolean>;
  setEditorText(text: string, at: TextPosition): void | Promise<void>;
  setElementState(element: ComposerElement, change: ElementChange): void | Promise<void>;
  /** @shape value: for "conversation", the id of the conversation to open */
  click(element: ComposerElement | "conversation", value?: string): void | Promise<void>;
  /** The app asks for a height of its frame. @units pixels */
  resize(height: number): void;
  /** The app asks to be closed. */
  close(): void;
  /** The app's page is loaded. */
  ready?(): void;
  /** The app can't be shown; the frame says why. */
  failed?(failure: EmbedFailure): void;
}

interface AppFrameOptions {
  readonly app: Pick<ConsoleApp, "name" | "title" | "origin">;
  readonly place: Pick<ConsoleApp["places"][number], "id" | "kind" | "label">;
  /** Element of the console that the frame fills. It needs a size of its own. */
  readonly container: HTMLElement;
  /** -> a ticket of the service for this app: `POST /console/api/apps/{name}/ticket` */
  readonly requestTicket: () => Promise<string>;
  readonly handlers: AppFrameHandlers;
}

/** The app does not allow an action of the agent. */
export class AppStopped extends Error {
  override readonly name = "AppStopped";
}

const HELLO: typeof EMBED_HELLO = "parley:embed-hello";
const WELCOME: typeof EMBED_WELCOME = "parley:embed-welcome";
const VERSION: typeof EMBED_VERSION = 1;

/** The flags of the app's own frames, which can't have more rights than this frame. */
const SANDBOX =
  "allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads";

/** The app itself has ten seconds for a decision. @units milliseconds */
const DECISION_TIMEOUT_MS = 12_000;
/** Time after which a page that has not connected counts as failed; it can still connect later. @units milliseconds */
const CONNECT_TIMEOUT_MS = 15_000;
/** As long as the message of a failure may be. @units characters */
const MESSAGE_LENGTH_MAX = 4_096;
const STOPPED = "The app stopped this.";

const createFrame = ({ app, place }: AppFrameOptions): HTMLIFrameElement => {
  const frame = document.createElement("iframe");
  frame.title = `${app.title}: ${place.label}`;
  frame.setAttribute("sandbox", SANDBOX);
  frame.allow = "clipboard-write";
  // The app may not know the address.
  frame.referrerPolicy = "no-referrer";
  Object.assign(frame.style, { display: "block", width: "100%", height: "100%", border: "0", background: "none" });
  frame.src = `${app.origin}/embed?place=${encodeURIComponent(place.id)}`;
  return frame;
};

/** Shows a place of an app in an element of the console. */
export const createAppFrame = (options: AppFrameOptions): AppFrame => {
  const { app, container, requestTicket, handlers } = options;
  const frame = createFrame(options);
  const cover = createWindowCover(frame, container);
  const decisions = new Map<number, (decision: { readonly ok: boolean; readonly message: string }) => void>();
  let port: MessagePort | undefined;
  let opened: Extract<ConsoleMessage, { readonly t: "open" }> | undefined;
  let isActive = false;
  let lastId = 0;

  const send = (message: ConsoleMessage) => port?.postMessage(message);
  const allowPending = () => {
    for (const decide of decisions.values()) decide({ ok: true, message: "" });
  };

  /** One row per request; -> the answer. */
  const answers: { readonly [T in EmbedRequest["t"]]: (request: Extract<EmbedRequest, { t: T }>) => unknown } = {
    ticket: () => requestTicket(),
    confirm: ({ title, message, saveLabel, cancelLabel }) =>
      handlers.confirm({ title, message, saveLabel, cancelLabel }),
    setValue: ({ text, at }) => handlers.setEditorText(text, at),
    element: ({ element, change }) => handlers.setElementState(element, change),
    click: ({ element, value }) => handlers.click(element, value),
    expand: () => cover.expand((rectangle) => send({ t: "layout", rectangle })),
  };
  const answer = async (request: EmbedRequest, from: MessagePort) => {
    const { id } = request;
    try {
      const value = await answers[request.t](request as never);
      from.postMessage({ t: "answer", id, value: value ?? null } satisfies ConsoleMessage);
    } catch (error) {
      const message = (error instanceof Error ? error.message : String(error)).slice(0, MESSAGE_LENGTH_MAX);
      from.postMessage({ t: "failure", id, failure: { status: 400, message } } satisfies ConsoleMessage);
    }
  };
  const receive = (data: unknown, from: MessagePort) => {
    const message = parseEmbedMessage(data);
    if (!message) return console.warn(`A message of ${app.name} has an unknown form.`);
    if (isRequest(message)) return void answer(message, from);
    switch (message.t) {
      case "notify":
        return handlers.notify({ kind: message.kind, title: message.title, message: message.message });
      case "resize":
        return handlers.resize(message.height);
      case "close":
        return handlers.close();
      case "ready":
        return handlers.ready?.();
      case "error":
        return handlers.failed?.(message.failure);
      case "collapse":
        return cover.collapse();
      case "decision":
        return decisions.get(message.id)?.(message);
    }
  };

  const connect = ({ source, origin, data }: MessageEvent<unknown>) => {
    if (source !== frame.contentWindow || origin !== app.origin || !isRecord(data) || data["t"] !== HELLO) return;
    if (data["version"] !== VERSION)
      return handlers.failed?.({ status: 501, message: `${app.title} needs another version of this page. Reload it.` });
    clearTimeout(connectTimer);
    port?.close();
    allowPending();
    cover.collapse();
    const { port1, port2 } = new MessageChannel();
    port = port1;
    port1.onmessage = (event: MessageEvent<unknown>) => receive(event.data, port1);
    frame.contentWindow?.postMessage({ t: WELCOME, version: VERSION }, app.origin, [port2]);
    if (isActive) send({ t: "activate" });
    if (opened) send(opened);
  };
  window.addEventListener("message", connect);
  container.append(frame);
  const connectTimer = setTimeout(
    () => handlers.failed?.({ status: 504, message: `${app.title} does not answer. Try again later.` }),
    CONNECT_TIMEOUT_MS,
  );

  return {
    open(conversation, agent) {
      opened = { t: "open", agent, ...(conversation === undefined ? {} : { conversation }) };
      send(opened);
    },
    activate() {
      isActive = true;
      send({ t: "activate" });
    },
    deactivate() {
      isActive = false;
      send({ t: "deactivate" });
    },
    async intercept(event, data) {
      if (!port) return;
      const id = (lastId += 1);
      const decision = await new Promise<{ readonly ok: boolean; readonly message: string }>((resolve) => {
        const timer = setTimeout(() => resolve({ ok: true, message: "" }), DECISION_TIMEOUT_MS);
        decisions.set(id, (one) => {
          clearTimeout(timer);
          resolve(one);
        });
        send({ t: "intercept", id, event, data });
      });
      decisions.delete(id);
      if (!decision.ok) throw new AppStopped(decision.message || STOPPED);
    },
    destroy() {
      window.removeEventListener("message", connect);
      clearTimeout(connectTimer);
      allowPending();
      cover.collapse();
      port?.close();
      port = undefined;
      frame.remove();
    },
  };
};
