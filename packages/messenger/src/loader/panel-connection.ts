import type { Connect, FromPanel, PanelCallName, PanelCalls, PanelOptions } from "../bridge/bridge.ts";
import { complain, failure, success, type Reply } from "./replies.ts";
import { objectOf } from "./site-options.ts";

/** Messages of the panel that answer no call. */
export type PanelNotice = Exclude<FromPanel, { readonly id: number }>;

interface PanelConnectionDeps {
  /** Address of the service, whose origin is the only one that is heard. */
  readonly base: string;
  readonly frameWindow: () => Window | null;
  readonly options: () => PanelOptions;
  readonly onConnect: () => void;
  /** The panel was not loaded in time. */
  readonly onTimeout: () => void;
  readonly onNotice: (notice: PanelNotice) => void;
  /** Ends the connection. */
  readonly signal: AbortSignal;
}

/** Time in which the panel must be loaded. @units milliseconds */
const LOAD_TIMEOUT_MS = 20_000;

/**
 * The connection to the panel in the frame. Calls wait until the panel is connected and are then sent in order. A panel that is loaded again is
 * connected again; calls without an answer fail.
 */
export const createPanelConnection = ({
  base,
  frameWindow,
  options,
  onConnect,
  onTimeout,
  onNotice,
  signal,
}: PanelConnectionDeps) => {
  const { origin } = new URL(base, location.href);
  const pending = new Map<number, (reply: Reply) => void>();
  let waiting: (() => void)[] = [];
  let port: MessagePort | undefined;
  let lastId = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const failPending = (message: string): void => {
    for (const settle of pending.values()) settle(failure(503, message));
    pending.clear();
  };

  const receive = (message: FromPanel): void => {
    if (!("id" in message)) return onNotice(message);
    const settle = pending.get(message.id);
    pending.delete(message.id);
    settle?.("data" in message ? success(message.data) : failure(message.status, message.message));
  };

  const connect = (target: Window): void => {
    clearTimeout(timer);
    if (port) {
      port.close();
      failPending("The panel was loaded again.");
    }
    const channel = new MessageChannel();
    port = channel.port1;
    port.addEventListener("message", ({ data }: MessageEvent<FromPanel>) => receive(data));
    port.start();
    target.postMessage({ parley: "connect", options: options() } satisfies Connect, origin, [channel.port2]);
    for (const send of waiting.splice(0)) send();
    onConnect();
  };

  const hear = (event: MessageEvent<unknown>): void => {
    const target = frameWindow();
    if (event.origin !== origin || event.source === null || event.source !== target) return;
    if (objectOf(event.data)["parley"] === "panel-ready") connect(target);
  };
  addEventListener("message", hear, { signal });

  return {
    isConnected: () => port !== undefined,
    /** To be called when the frame begins to load. */
    expect(): void {
      timer = setTimeout(() => {
        complain(
          `The panel of ${origin} was not loaded. Check that the service runs, and that the page's content policy has frame-src ${origin}.`,
        );
        waiting = [];
        failPending("The panel was not loaded.");
        onTimeout();
      }, LOAD_TIMEOUT_MS);
    },
    call<Name extends PanelCallName>(call: Name, argument: PanelCalls[Name]["argument"]): Promise<Reply> {
      return new Promise((resolve) => {
        const id = ++lastId;
        pending.set(id, resolve);
        const send = () => port?.postMessage({ id, call, argument });
        if (port) send();
        else waiting.push(send);
      });
    },
    close(): void {
      clearTimeout(timer);
      port?.close();
      waiting = [];
      failPending("The messenger was destroyed.");
    },
  };
};
