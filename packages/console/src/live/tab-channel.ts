import type { TabMessage } from "./live-messages.ts";

export interface TabChannel {
  send(message: TabMessage): void;
  /** The listener is called for messages of other tabs. */
  onMessage(listener: (message: TabMessage) => void): void;
  /** Runs the work while no other tab of the browser does, and until the signal aborts; waits for its turn. */
  lead(work: () => Promise<void>, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Connects the tabs of one agent in one browser. @shape name: the same in all of them */
export const openTabChannel = (name: string): TabChannel => {
  const channel = new BroadcastChannel(name);
  return {
    send: (message) => channel.postMessage(message),
    onMessage: (listener) => {
      channel.onmessage = ({ data }: MessageEvent<TabMessage>) => listener(data);
    },
    // Browsers give the lock to the next tab when the one that holds it is closed, crashes or is discarded. Without https, on a host that
    // is not this machine, there are no locks: each tab has a stream of its own then.
    lead: async (work, signal) => {
      if (!("locks" in navigator)) return work();
      await navigator.locks.request(name, { signal }, work).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    },
    close: () => channel.close(),
  };
};
