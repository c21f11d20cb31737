import type { TabMessage } from "./live-messages.ts";

interface TabChannel {
  readonly send: (message: TabMessage) => unknown;
  /** The listener is called for messages of other tabs. */
  onMessage(listener: (message: TabMessage) => void): void;
  /** Whether tabs can share a stream. Without https, on a host that is not this machine, they can't: each tab has one of its own. */
  readonly isShared: boolean;
  /** Runs the work while no other tab of the browser does, and until the signal aborts; waits for its turn. */
  lead(work: () => Promise<void>, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Connects the tabs of one agent in one browser. @shape name: the same in all of them */
export const openTabChannel = (name: string): TabChannel => {
  const channel = new BroadcastChannel(name);
  const isShared = "locks" in navigator;
  return {
    isShared,
    send: (message) => isShared && channel.postMessage(message),
    onMessage: (listener) => {
      channel.onmessage = ({ data }: MessageEvent<TabMessage>) => listener(data);
    },
    // Browsers give the lock to the next tab when the tab that holds it is closed, crashes or is discarded.
    lead: async (work, signal) => {
      if (!isShared) return work();
      await navigator.locks.request(name, { signal }, work).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    },
    close: () => channel.close(),
  };
};
