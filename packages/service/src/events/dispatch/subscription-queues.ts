import type { LogRow } from "../../base/log/store.ts";
import type { ActiveSubscriptions } from "./subscriptions.ts";
import type { PartitionLease } from "./leases.sql.ts";
import type { CursorStore, SavedCursor } from "./partition-cursor.sql.ts";
import type { QueueBacklog, SubscriptionQueue } from "./subscription-queue.ts";
import type { Subscription } from "./subscriptions.sql.ts";

/** One queue for each active subscription, over the partitions that this process holds. */
interface SubscriptionQueues {
  /** Creates the queues of new subscriptions and opens the held partitions in all queues. */
  configure(leases: readonly PartitionLease[]): Promise<void>;
  /** Closes a partition in all queues. Resolves when no delivery of it is under way and its cursors are saved. */
  release(partition: number): Promise<void>;
  /** Takes rows of all accounts that became final after the position `from`. */
  offer(rows: readonly LogRow[], from: number): void;
  /** -> by kind of subscriber, what its subscriptions have not received */
  backlogs(): ReadonlyMap<Subscription["kind"], QueueBacklog>;
  /** Saves the cursors that moved. @errors those of the store; the cursors are saved with the next call then */
  save(idleLag: number): Promise<void>;
}

interface SubscriptionQueuesDeps {
  readonly active: ActiveSubscriptions;
  readonly cursors: Pick<CursorStore, "read" | "save">;
  /** Called before queues open partitions, so that the retry queue knows which entities are held up. */
  readonly prepare: (subscriptionIds: readonly string[], partitions: readonly number[]) => Promise<void>;
  readonly createQueue: (subscription: Subscription) => SubscriptionQueue;
}

/** Cursors that one statement saves: the idle cursors of all subscriptions are due at the same time. */
const CURSORS_PER_SAVE = 4_000;

const NO_BACKLOG: QueueBacklog = { events: 0, oldest: undefined };

const sumOfBacklogs = (one: QueueBacklog, other: QueueBacklog): QueueBacklog => {
  const oldest = Math.min(one.oldest ?? Infinity, other.oldest ?? Infinity);
  return { events: one.events + other.events, oldest: oldest === Infinity ? undefined : oldest };
};

const cursorKey = ({ subscription_id, partition }: Pick<SavedCursor, "subscription_id" | "partition">) =>
  `${subscription_id} ${partition}`;

export const createSubscriptionQueues = ({
  active,
  cursors,
  prepare,
  createQueue,
}: SubscriptionQueuesDeps): SubscriptionQueues => {
  const queues = new Map<string, SubscriptionQueue>();
  /** Queues of subscriptions that are no longer active, while deliveries of them are under way. */
  const closing = new Map<string, Promise<void>>();
  const unsaved = new Map<string, SavedCursor>();
  let lastSave: Promise<void> = Promise.resolve();

  // A subscription that becomes active again continues from these cursors, and not before the last delivery under way has ended: an event
  // that was delivered again beside it could arrive after later events.
  active.onRemoved((id) => {
    const queue = queues.get(id);
    if (!queue) return;
    queues.delete(id);
    const closed = queue
      .releaseAll()
      .then(save)
      // The cursors remain unsaved: their events are delivered once more.
      .catch(() => undefined)
      .finally(() => closing.delete(id));
    closing.set(id, closed);
  });

  const openPartitions = async (leases: readonly PartitionLease[]): Promise<void> => {
    const missing = active.all().flatMap((subscription) => {
      const queue = queues.get(subscription.id);
      const unopened = queue ? leases.filter((lease) => !queue.serves(lease)) : [];
      return queue && unopened.length > 0 ? [{ queue, subscription, unopened }] : [];
    });
    if (missing.length === 0) return;
    const partitions = [...new Set(missing.flatMap(({ unopened }) => unopened.map(({ partition }) => partition)))];
    const ids = missing.map(({ subscription }) => subscription.id);
    await prepare(ids, partitions);
    const saved = new Map((await cursors.read(ids, partitions)).map((cursor) => [cursorKey(cursor), cursor]));
    for (const { queue, subscription, unopened } of missing) {
      // The subscription was turned off meanwhile, and its queue removed: no release would reach partitions that the queue opened now.
      if (queues.get(subscription.id) !== queue) continue;
      queue.open(
        unopened
          .filter(({ signal }) => !signal.aborted)
          .map((lease) => {
            const key = cursorKey({ subscription_id: subscription.id, partition: lease.partition });
            return { lease, cursor: saved.get(key) ?? { seq: subscription.start_seq, done_ahead: [] } };
          }),
      );
    }
  };

  const saveUnsaved = async (): Promise<void> => {
    const all = [...unsaved];
    for (let start = 0; start < all.length; start += CURSORS_PER_SAVE) {
      const due = all.slice(start, start + CURSORS_PER_SAVE);
      await cursors.save(due.map(([, cursor]) => cursor));
      for (const [key, cursor] of due) if (unsaved.get(key) === cursor) unsaved.delete(key);
    }
  };

  /** Saves run one after the other: a lost connection releases all partitions at once, and the first save covers all of them. */
  const save = (moved: readonly SavedCursor[]): Promise<void> => {
    for (const cursor of moved) unsaved.set(cursorKey(cursor), cursor);
    return (lastSave = lastSave.catch(() => undefined).then(saveUnsaved));
  };

  return {
    async configure(leases) {
      for (const subscription of active.all())
        if (!queues.has(subscription.id) && !closing.has(subscription.id))
          queues.set(subscription.id, createQueue(subscription));
      await openPartitions(leases);
      for (const queue of queues.values()) queue.catchUp();
    },
    async release(partition) {
      const released = await Promise.all([...queues.values()].map((queue) => queue.release(partition)));
      await Promise.all(closing.values());
      // Events after a cursor that cannot be saved now are delivered once more by the next holder of the partition.
      await save(released.filter((cursor) => cursor !== undefined)).catch(() => undefined);
    },
    offer(rows, from) {
      if (rows.length === 0) for (const queue of queues.values()) queue.catchUp();
      const byAccount = new Map<number, LogRow[]>();
      for (const row of rows) {
        const present = byAccount.get(row.account_id);
        if (present) present.push(row);
        else byAccount.set(row.account_id, [row]);
      }
      for (const [accountId, own] of byAccount)
        for (const { id } of active.ofAccount(accountId)) queues.get(id)?.offer(own, from);
    },
    backlogs() {
      const byKind = new Map<Subscription["kind"], QueueBacklog>([
        ["app", NO_BACKLOG],
        ["webhook", NO_BACKLOG],
      ]);
      for (const { id, kind } of active.all()) {
        const own = queues.get(id)?.backlog() ?? NO_BACKLOG;
        byKind.set(kind, sumOfBacklogs(byKind.get(kind) ?? NO_BACKLOG, own));
      }
      return byKind;
    },
    save: (idleLag) => save([...queues.values()].flatMap((queue) => queue.takeUnsaved(idleLag))),
  };
};
