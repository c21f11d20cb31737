import type { PresenceEntry, PresenceMap } from "./presence-map.ts";
import type { ReceivedMessage } from "./process-messages.ts";

/** Another process. */
interface Peer {
  /** Time of its last message. @units milliseconds of the monotonic clock */
  seenMs: number;
  /** Number of its last message. */
  number: number;
  /** Whether the map contains all of its entries. */
  isComplete: boolean;
  /** The parts of its entries that have been received so far. */
  parts: PresenceEntry[];
}

interface PeersDeps {
  readonly agents: Pick<PresenceMap, "replace">;
  /** Time without a message after which a process counts as dead. @units milliseconds */
  readonly deadMs: number;
  /** Called when a process has ended. */
  readonly dropped: (processId: string) => void;
  /** Asks a process for its entries. */
  readonly ask: (processId: string) => void;
}

/**
 * The other processes and their entries in the map.
 *
 * States of a process: (unknown) → incomplete (its entries have been asked for) → complete → incomplete (messages may have been missed).
 * Any state → (unknown) when it ends, or when it sends nothing for a time.
 */
export const createPeers = ({ agents, deadMs, dropped, ask }: PeersDeps) => {
  const peers = new Map<string, Peer>();

  const drop = (processId: string): void => {
    if (!peers.delete(processId)) return;
    agents.replace(processId, []);
    dropped(processId);
  };

  return {
    /** Notes that the process runs. -> false for a message that was received before */
    isNew({ from, number }: ReceivedMessage): boolean {
      const known = peers.get(from);
      if (known && number <= known.number) return false;
      const peer = known ?? { seenMs: 0, number, isComplete: false, parts: [] };
      peer.seenMs = performance.now();
      peer.number = number;
      peers.set(from, peer);
      return true;
    },
    /** A process that has streams runs. */
    check(from: string): void {
      if (!peers.get(from)?.isComplete) ask(from);
    },
    /** A part of the entries of a process. */
    state(from: string, entries: readonly PresenceEntry[], isLast: boolean): void {
      const peer = peers.get(from);
      if (!peer) return;
      peer.parts.push(...entries);
      if (!isLast) return;
      agents.replace(from, peer.parts);
      peer.parts = [];
      peer.isComplete = true;
    },
    drop,
    dropDead(): void {
      const oldest = performance.now() - deadMs;
      for (const [id, { seenMs }] of peers) if (seenMs < oldest) drop(id);
    },
    /** Messages may have been missed: the entries of all processes are asked for again. */
    missed(): void {
      for (const peer of peers.values()) Object.assign(peer, { isComplete: false, parts: [] });
    },
  };
};
