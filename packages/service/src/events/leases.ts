import type { Connection } from "@parley/database";
import { pause, stopper } from "./bell.ts";
import { leaseStore, type LeaseStore } from "./db/leases.ts";
import { share } from "./share.ts";

/** A partition that this process alone serves, until the signal. */
export interface Tenure {
  readonly partition: number;
  readonly signal: AbortSignal;
}

export interface Leases {
  /** Does what the process's share asks for: takes partitions, or begins to give some back. */
  step(): Promise<void>;
  /** The same object for a partition as long as it is held. */
  held(): readonly Tenure[];
  /** Shows the others that this process lives, and takes the partitions of those that don't show it. To be called each second. */
  beat(): Promise<void>;
  /**
   * Resolves when it is known that nobody else can have the partitions: a process that was stopped for a while may have lost them
   * before it hears of it. Resolves too when the signal says that it is no use.
   */
  sure(signal: AbortSignal): Promise<void>;
  /** Leaves all partitions, then frees them at once. */
  close(): Promise<void>;
}

export interface LeaseDeps {
  /** Opens the connection that the locks live and die with. */
  readonly connect: () => Promise<Connection>;
  /** Resolves when nothing of the partition is under way any more and its cursors are saved; another process waits for it. */
  readonly leave: (partition: number) => Promise<void>;
  /** A partition was freed: others may take it. */
  readonly freed: () => void;
}

interface Session {
  readonly connection: Connection;
  readonly store: LeaseStore;
  readonly number: number;
}

/** A process that has not shown for so long that it lives loses its partitions. @units milliseconds @assumed The number. */
const STALE = 6_000;
/** A process that has not shown it for so long waits until it knows more; less than the time above. @units milliseconds */
const DOUBT = 4_000;
/** Between two looks whether the doubt is over. @units milliseconds */
const LOOK = 25;

/** Shares the partitions with other processes. A process that dies loses its connection, and so its locks, at once. */
export const leases = ({ connect, leave, freed }: LeaseDeps): Leases => {
  const tenures = new Map<number, { readonly tenure: Tenure; readonly over: AbortController }>();
  let session: Session | undefined;
  /** When the last question was asked that the database answered: until then no other process took anything. */
  let shown = -Infinity;

  const end = (partition: number): Promise<void> => {
    tenures.get(partition)?.over.abort();
    tenures.delete(partition);
    return leave(partition);
  };

  const lose = (): void => {
    session = undefined;
    for (const partition of [...tenures.keys()]) void end(partition);
  };

  const open = async (): Promise<Session> => {
    const connection = await connect();
    const store = leaseStore(connection);
    const began = performance.now();
    const opened = { connection, store, number: await store.join() };
    shown = began;
    session = opened;
    connection.onLost(lose);
    return opened;
  };

  const giveBack = async (partition: number, { store }: Session): Promise<void> => {
    await end(partition);
    await store.give(partition);
    freed();
  };

  return {
    async step() {
      const current = session ?? (await open());
      const { members, free } = await current.store.see();
      // Processes that start together begin at different places.
      const turn = free.length === 0 ? 0 : current.number % free.length;
      const { give, take } = share({
        members,
        own: [...tenures.keys()],
        free: [...free.slice(turn), ...free.slice(0, turn)],
      });
      for (const partition of give) giveBack(partition, current).catch(() => undefined);
      if (take.length === 0) return;
      const taken = await current.store.take(take);
      if (session !== current) return;
      for (const partition of taken) {
        const over = stopper();
        tenures.set(partition, { tenure: { partition, signal: over.signal }, over });
      }
    },
    async beat() {
      if (!session) return;
      const began = performance.now();
      await session.store.beat(STALE);
      shown = began;
    },
    async sure(signal) {
      while (!signal.aborted && performance.now() - shown > DOUBT) await pause(LOOK, signal);
    },
    held: () => [...tenures.values()].map(({ tenure }) => tenure),
    async close() {
      const { connection } = session ?? {};
      session = undefined;
      await Promise.all([...tenures.keys()].map(end));
      await connection?.close();
    },
  };
};
