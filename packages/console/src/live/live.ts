import type { Presence } from "@parley/contract";
import { client } from "../session/session.ts";
import { createStore } from "../state/store.ts";
import { createBatches } from "./batches.ts";
import type { ConnectionState, LiveItem } from "./live-messages.ts";
import { openTabChannel } from "./tab-channel.ts";
import { watchWakeUps } from "./wake-ups.ts";

export const connection = createStore<ConnectionState>("connecting");
/** Agents who have a conversation open, by its id. Conversations without any are absent. */
export const presences = createStore<ReadonlyMap<string, readonly Presence[]>>(new Map());
/** The stream that presence is reported for. */
export const streamId = createStore<string | undefined>(undefined);

type Listener = (items: readonly LiveItem[]) => void;
const listeners = new Set<Listener>();

/** Calls the listener with all items that arrived since its last call, in order. -> the function that ends it */
export const onLiveItems = (listener: Listener): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

const notePresence = (items: readonly LiveItem[]): void => {
  const changes = items.filter((item) => item.event === "presence" || item.event === "stream_start");
  if (changes.length === 0) return;
  presences.update((known) => {
    let next = new Map(known);
    for (const item of changes) {
      // A new stream sends all presences again.
      if (item.event === "stream_start") next = new Map();
      if (item.event !== "presence") continue;
      const { conversation_id, agents } = item.data;
      if (agents.length === 0) next.delete(conversation_id);
      else next.set(conversation_id, agents);
    }
    return next;
  });
};

const batches = createBatches((items) => {
  notePresence(items);
  for (const listener of listeners) listener(items);
});

/** Follows the events of the account, with one connection for all tabs of the browser. @shape name: the same for all tabs of one agent */
export const startLive = (name: string): void => {
  const channel = openTabChannel(name);
  const ended = new AbortController();
  let isLeading = false;

  const setState = (state: ConnectionState): void => {
    connection.set(state);
    if (isLeading) channel.send({ kind: "state", state, streamId: streamId.get() });
  };

  channel.onMessage((message) => {
    if (message.kind === "join") {
      if (isLeading) channel.send({ kind: "state", state: connection.get(), streamId: streamId.get() });
    } else if (message.kind === "items") {
      batches.add(message.items);
    } else {
      connection.set(message.state);
      streamId.set(message.streamId);
    }
  });
  channel.send({ kind: "join" });

  /** Reads the stream until the device wakes from a sleep or is online again: then the connection may be a dead one. */
  const readOnce = async (signal: AbortSignal): Promise<void> => {
    const lastEventId = batches.lastId();
    const items = client.live.streamConsole({
      signal,
      onState: setState,
      ...(lastEventId !== undefined && { lastEventId }),
    });
    for await (const item of items) {
      if (item.event === "stream_start") {
        streamId.set(item.data.stream_id);
        setState("open");
      }
      batches.add([item]);
      channel.send({ kind: "items", items: [item] });
    }
  };

  const lead = async (): Promise<void> => {
    isLeading = true;
    while (!ended.signal.aborted) {
      const attempt = new AbortController();
      const unwatch = watchWakeUps(() => attempt.abort());
      try {
        await readOnce(AbortSignal.any([ended.signal, attempt.signal]));
      } finally {
        unwatch();
      }
    }
  };

  void channel.lead(lead, ended.signal);
  addEventListener("pagehide", () => ended.abort(), { once: true });
  // A page that returns from the browser's cache has missed what happened meanwhile.
  addEventListener("pageshow", ({ persisted }) => persisted && location.reload());
};
