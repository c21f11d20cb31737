import { isProblemError } from "@parley/client/session";
import { client } from "../session/session.ts";
import { createStore } from "../state/store.ts";
import { createBatches } from "./batches.ts";
import type { ConnectionState, LiveItem } from "./live-messages.ts";
import { notePresences, presencesOfTab, takePresences } from "./presences.ts";
import { openTabChannel } from "./tab-channel.ts";
import { watchWakeUps } from "./wake-ups.ts";

export const connection = createStore<ConnectionState>("connecting");
/** The stream that presence is reported for. */
export const streamId = createStore<string | undefined>(undefined);

type Listener = (items: readonly LiveItem[]) => void;
const listeners = new Set<Listener>();

/** Calls the listener with all items that arrived since its last call, in order. -> the function that ends it */
export const onLiveItems = (listener: Listener): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** -> id of the page's agent; undefined until the workspace is read */
let agentId: () => string | undefined = () => undefined;

const batches = createBatches((items) => {
  notePresences(items, agentId());
  for (const listener of listeners) {
    // A failure of one listener must not keep the items from the others.
    try {
      listener(items);
    } catch (error) {
      reportError(error);
    }
  }
});

/**
 * A stream is lost when two keep-alives are missing. Before the service has said how often they come, one of an earlier release may be read,
 * which sends them every 15 seconds. @units milliseconds
 */
const silenceOf = (keepAliveMs: number | undefined): number => 2 * (keepAliveMs ?? 24_000) + 2_000;

/** Delay before the stream is tried again after the service refused it. @units milliseconds */
const REFUSED_PAUSE_MS = 30_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/**
 * Follows the events of the account, with one connection for all tabs of the browser.
 * @shape name: the same for all tabs of one session; agent: -> id of its agent; onBegin: called when a stream begins that does not continue an earlier stream
 */
export const startLive = (name: string, agent: typeof agentId, onBegin: () => void): void => {
  agentId = agent;
  const channel = openTabChannel(name);
  const ended = new AbortController();
  let isLeading = false;

  const sendState = (): void => {
    const state = { connection: connection.get(), streamId: streamId.get(), ...presencesOfTab() };
    if (isLeading) channel.send({ kind: "state", state });
  };
  const setState = (state: ConnectionState): void => {
    // A lost connection is reported as lost until another connection is open.
    if (state === "connecting" && connection.get() === "waiting") return;
    connection.set(state);
    sendState();
  };

  channel.onMessage((message) => {
    switch (message.kind) {
      case "join":
        return sendState();
      case "items":
        return batches.add(message.items);
      case "begin":
        return onBegin();
      case "state":
        connection.set(message.state.connection);
        streamId.set(message.state.streamId);
        takePresences(message.state);
    }
  });
  channel.send({ kind: "join" });

  const begin = (): void => {
    onBegin();
    channel.send({ kind: "begin" });
  };

  /** Reads the stream until the device wakes from a sleep or is online again: then the connection may be dead. */
  const readOnce = async (signal: AbortSignal): Promise<void> => {
    const lastEventId = batches.lastId();
    let silenceMs = silenceOf(undefined);
    const items = client.live.streamConsole({
      signal,
      onState: setState,
      silenceMs: () => silenceMs,
      ...(lastEventId !== undefined && { lastEventId }),
    });
    let isBeginning = lastEventId === undefined;
    for await (const item of items) {
      batches.add([item]);
      channel.send({ kind: "items", items: [item] });
      if (item.event !== "stream_start") continue;
      streamId.set(item.data.stream_id);
      silenceMs = silenceOf(item.data.keep_alive_ms);
      setState("open");
      if (isBeginning) begin();
      isBeginning = false;
    }
  };

  const lead = async (): Promise<void> => {
    isLeading = true;
    while (!ended.signal.aborted) {
      const attempt = new AbortController();
      const unwatch = watchWakeUps(() => attempt.abort());
      try {
        await readOnce(AbortSignal.any([ended.signal, attempt.signal]));
      } catch (error) {
        // The session has ended, or the agent's scope is None: an ended session opens the sign-in.
        if (!isProblemError(error)) throw error;
        setState("waiting");
        await pause(REFUSED_PAUSE_MS);
      } finally {
        unwatch();
      }
    }
  };

  void channel.lead(lead, ended.signal);
  addEventListener("pagehide", () => ended.abort(), { once: true });
  // A page that returns from the browser's cache has missed events in the meantime.
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
};
