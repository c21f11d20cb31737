import {
  EMBED_HELLO,
  EMBED_VERSION,
  EMBED_WELCOME,
  isObject,
  type ConsoleMessage,
  type EmbedMessage,
  type EmbedRequest,
} from "@parley/contract";
import { FrameRefusal } from "../browser/instances.ts";
import { parseConsoleMessage } from "./console-messages.ts";

type WithoutId<M> = M extends unknown ? Omit<M, "id"> : never;

/** Messages of the console that are not answers. */
export type ConsoleCommand = Exclude<ConsoleMessage, { readonly t: "answer" | "failure" }>;

/** The connection to the console that embeds this page. */
export interface ConsoleLink {
  send(message: Exclude<EmbedMessage, EmbedRequest>): void;
  /** -> the console's answer @errors FrameRefusal with the console's reason, or if too many requests are pending */
  ask(request: WithoutId<EmbedRequest>): Promise<unknown>;
}

/** Maximum number of requests that the console has not answered. */
const PENDING_MAX = 100;

const linkOn = (port: MessagePort, onCommand: (command: ConsoleCommand) => void): ConsoleLink => {
  const pending = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  let lastId = 0;

  port.onmessage = ({ data }: MessageEvent<unknown>) => {
    const message = parseConsoleMessage(data);
    if (!message) return console.warn("The console sent a message that this page does not know.");
    if (message.t !== "answer" && message.t !== "failure") return onCommand(message);
    const request = pending.get(message.id);
    pending.delete(message.id);
    if (message.t === "answer") request?.resolve(message.value);
    else request?.reject(new FrameRefusal(message.failure.message, message.failure.status));
  };

  return {
    send: (message) => port.postMessage(message),
    ask: async (request) =>
      new Promise((resolve, reject) => {
        if (pending.size >= PENDING_MAX)
          return reject(new FrameRefusal(`${PENDING_MAX} requests wait for the agent: the app must wait too.`, 429));
        const id = (lastId += 1);
        pending.set(id, { resolve, reject });
        port.postMessage({ ...request, id });
      }),
  };
};

/**
 * Connects to the parent window if it is the console.
 * @shape origins: of the console. The policy of this page lets no other page embed it; the check does not rely on that.
 */
export const connectToConsole = (
  origins: readonly string[],
  onCommand: (command: ConsoleCommand) => void,
): Promise<ConsoleLink> =>
  new Promise((resolve) => {
    const receiveWelcome = ({ source, origin, data, ports: [port] }: MessageEvent<unknown>) => {
      if (source !== window.parent || !origins.includes(origin) || !port || !isObject(data)) return;
      if (data["t"] !== EMBED_WELCOME || data["version"] !== EMBED_VERSION) return;
      window.removeEventListener("message", receiveWelcome);
      resolve(linkOn(port, onCommand));
    };
    window.addEventListener("message", receiveWelcome);
    // The message contains nothing confidential, so any origin may receive it.
    window.parent.postMessage({ t: EMBED_HELLO, version: EMBED_VERSION }, "*");
  });
