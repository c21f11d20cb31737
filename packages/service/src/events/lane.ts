import type { Cursor } from "./db/cursors.ts";
import type { LogRow, Position } from "./db/log.ts";
import { entityQueue } from "./entity-queue.ts";
import type { Tenure } from "./leases.ts";
import { part, type Part } from "./part.ts";
import type { DispatchRules } from "./rules.ts";

/** The way of one account's events to one subscription, in the partitions that this process serves. */
export interface Lane {
  /** Serves partitions, each from its cursor on. */
  open(places: readonly { readonly tenure: Tenure; readonly cursor: number }[]): void;
  serves(tenure: Tenure): boolean;
  /** Serves a partition no longer. -> how far it came, once nothing of it is under way */
  leave(partition: number): Promise<Cursor | undefined>;
  /** Serves nothing any longer. */
  leaveAll(): Promise<Cursor[]>;
  /** Takes in events of the account that became final after `from`, or remembers that it is behind. */
  offer(rows: readonly LogRow[], from: number): void;
  /** Reads from the log what it did not take in when it was offered. */
  catchUp(): void;
  /** Cursors that moved since the last call by something done, or by `lag` positions and more. */
  moved(lag: number): Cursor[];
}

export interface LaneDeps {
  readonly subscriptionId: string;
  readonly rules: DispatchRules;
  readonly horizon: () => number | undefined;
  readonly readBack: (places: readonly Position[], upTo: number, limit: number) => Promise<readonly LogRow[]>;
  /** Brings one event there, however long it takes. -> false when it was left because of the signal */
  readonly deliver: (event: LogRow, signal: AbortSignal) => Promise<boolean>;
  readonly failed: (error: unknown) => void;
}

interface Item {
  readonly event: LogRow;
  readonly part: Part;
}

/** A slow subscription keeps no more in memory than its backlog: it falls behind, and reads on from the log when there is room. */
export const lane = ({ subscriptionId, rules, horizon, readBack, deliver, failed }: LaneDeps): Lane => {
  const parts = new Map<number, Part>();
  const queue = entityQueue<Item>(({ event }) => event.entity_id, rules.concurrency);
  let isBehind = true;
  let isReading = false;

  /** While the lane is not behind, all up to the horizon was offered and taken in. */
  const taken = (): number => (isBehind ? 0 : (horizon() ?? 0));

  const fallBehind = (at: number): void => {
    if (!isBehind) for (const each of parts.values()) each.reach(at);
    isBehind = true;
  };

  const run = async (item: Item): Promise<void> => {
    const { event, part } = item;
    part.started();
    const isDone = await deliver(event, part.tenure.signal).catch((error: unknown) => {
      failed(error);
      return false;
    });
    queue.done(item);
    part.ended(event.seq, isDone);
    start();
    catchUp();
  };

  const start = (): void => {
    for (let item = queue.take(); item; item = queue.take()) void run(item);
  };

  const takeIn = (rows: readonly LogRow[]): void => {
    for (const event of rows) {
      const part = parts.get(event.partition);
      if (part?.begin(event.seq)) queue.push({ event, part });
    }
    start();
  };

  const hasRoom = (): boolean => queue.size() <= rules.backlog / 2;

  /** Reads one batch. -> whether more is to be read at once */
  const readOn = async (upTo: number): Promise<boolean> => {
    const asked = [...parts.values()];
    const places = asked.map((each) => ({ partition: each.tenure.partition, seq: each.position() }));
    const rows = await readBack(places, upTo, rules.batch);
    const last = rows.length < rules.batch ? upTo : (rows.at(-1)?.seq ?? upTo);
    const isSame = (each: Part) => parts.get(each.tenure.partition) === each;
    // A partition that was left meanwhile may have come back with another cursor.
    takeIn(rows.filter((row) => asked.some((each) => each.tenure.partition === row.partition && isSame(each))));
    for (const each of asked) if (isSame(each)) each.reach(last);
    if ([...parts.values()].some((each) => each.position() < (horizon() ?? 0))) return hasRoom();
    isBehind = false;
    return false;
  };

  const readAll = async (): Promise<void> => {
    for (let upTo = horizon(); upTo !== undefined && parts.size > 0; upTo = horizon())
      if (!(await readOn(upTo))) return;
  };

  const catchUp = (): void => {
    if (!isBehind || isReading || !hasRoom()) return;
    isReading = true;
    void readAll()
      .catch(failed)
      .finally(() => {
        isReading = false;
      });
  };

  const leave = async (partition: number): Promise<Cursor | undefined> => {
    const left = parts.get(partition);
    if (!left) return undefined;
    left.reach(taken());
    parts.delete(partition);
    queue.drop((item) => item.part === left);
    await left.emptied();
    return { subscription_id: subscriptionId, partition, seq: left.cursor(0) };
  };

  return {
    open(places) {
      fallBehind(taken());
      for (const { tenure, cursor } of places) parts.set(tenure.partition, part(tenure, cursor));
      catchUp();
    },
    serves: (tenure) => parts.get(tenure.partition)?.tenure === tenure,
    leave,
    leaveAll: async () => {
      const cursors = await Promise.all([...parts.keys()].map(leave));
      return cursors.filter((cursor) => cursor !== undefined);
    },
    offer(rows, from) {
      if (!isBehind && queue.size() + rows.length <= rules.backlog) return takeIn(rows);
      fallBehind(from);
      catchUp();
    },
    catchUp,
    moved: (lag) =>
      [...parts.values()].flatMap((each) => {
        const seq = each.moved(taken(), lag);
        return seq === undefined ? [] : [{ subscription_id: subscriptionId, partition: each.tenure.partition, seq }];
      }),
  };
};
