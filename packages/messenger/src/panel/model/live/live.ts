import type { ApiClient } from "../api/api-client.ts";
import { withLock } from "../session/exclusive.ts";
import { followStream, type LiveItem, type LiveState } from "./live-stream.ts";
import type { TabChannel, TabMessage } from "./tab-channel.ts";

interface LiveDeps {
  readonly api: ApiClient;
  readonly channel: TabChannel;
  /** -> name of the lock whose holder has the stream; undefined: tabs can't share a stream */
  readonly lockName: () => string | undefined;
  readonly onItems: (items: readonly LiveItem[]) => void;
  readonly onState: (state: LiveState) => void;
  /** A stream began that does not continue an earlier one: what was read before may be out of date. */
  readonly onBegin: () => void;
}

export interface Live {
  /** Follows the events of the session, if it does not yet. */
  readonly start: () => void;
  readonly stop: () => void;
  /** A message of the tab that has the stream, or of one that joined. */
  readonly receive: (message: TabMessage) => void;
}

/** Follows the events of the session, with one connection for all tabs of the browser. */
export const createLive = ({ api, channel, lockName, onItems, onState, onBegin }: LiveDeps): Live => {
  let running: AbortController | undefined;
  let isLeading = false;
  let state: LiveState = "connecting";
  let lastEventId: string | undefined;

  const handle = (items: readonly LiveItem[]): void => {
    lastEventId = items.findLast(({ id }) => id !== undefined)?.id ?? lastEventId;
    onItems(items);
  };
  const setState = (next: LiveState): void => {
    if (state === next) return;
    state = next;
    if (isLeading) channel.send({ kind: "state", state });
    onState(next);
  };
  const begin = (): void => {
    channel.send({ kind: "begin" });
    onBegin();
  };

  const lead = async (signal: AbortSignal): Promise<void> => {
    isLeading = true;
    await followStream(
      {
        open: api.openStream,
        lastEventId: () => lastEventId,
        onState: setState,
        onItems(items) {
          const isNew = lastEventId === undefined && items.some(({ item }) => item.event === "stream_start");
          channel.send({ kind: "items", items });
          handle(items);
          if (isNew || items.some(({ item }) => item.event === "reset")) begin();
        },
      },
      signal,
    );
  };

  return {
    start() {
      if (running) return;
      const { signal } = (running = new AbortController());
      state = "connecting";
      onState(state);
      channel.send({ kind: "join" });
      const name = lockName();
      const work = (): Promise<void> => (signal.aborted ? Promise.resolve() : lead(signal));
      void (name === undefined ? work() : withLock(name, work, signal)).catch(() => undefined);
    },
    stop() {
      running?.abort();
      running = undefined;
      isLeading = false;
      lastEventId = undefined;
    },
    receive(message) {
      if (!running) return;
      if (message.kind === "join" && isLeading) channel.send({ kind: "state", state });
      else if (message.kind === "items") handle(message.items);
      else if (message.kind === "state") setState(message.state);
      else if (message.kind === "begin") onBegin();
    },
  };
};
