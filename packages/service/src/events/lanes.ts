import type { Cursor, CursorStore } from "./db/cursors.ts";
import type { LogRow } from "./db/log.ts";
import type { Subscription } from "./db/subscriptions.ts";
import type { Lane } from "./lane.ts";
import type { Tenure } from "./leases.ts";

/** All subscriptions' ways, over the partitions that this process serves. */
export interface Lanes {
  /** Makes a lane for each subscription, and lets each serve what the process holds. */
  arrange(subscriptions: readonly Subscription[], tenures: readonly Tenure[]): Promise<void>;
  /** Serves a partition no longer; resolves when nothing of it is under way and its cursors are saved. */
  leave(partition: number): Promise<void>;
  /** Rows of all accounts that became final after `from`. */
  tell(rows: readonly LogRow[], from: number): void;
  /** Saves the cursors that moved. @errors what the store throws; they are saved with the next call then */
  save(lag: number): Promise<void>;
  isEmpty(): boolean;
  /** -> the subscription as it is by now; undefined where it has no lane: it is off, or no more */
  subscription(id: string): Subscription | undefined;
  /** Brings a subscription nothing more, until it is arranged anew. */
  drop(id: string): void;
}

export interface LanesDeps {
  readonly cursors: Pick<CursorStore, "read" | "save">;
  /** Called before lanes begin with partitions. */
  readonly prepare: (subscriptions: readonly string[], partitions: readonly number[]) => Promise<void>;
  /** `current`: the same subscription, with the address that it has by then. */
  readonly laneFor: (subscription: Subscription, current: () => Subscription) => Lane;
}

interface Entry {
  readonly lane: Lane;
  /** Its address may change. */
  subscription: Subscription;
}

export const lanes = ({ cursors, prepare, laneFor }: LanesDeps): Lanes => {
  const entries = new Map<string, Entry>();
  const unsaved = new Map<string, Cursor>();
  let lastSave: Promise<void> = Promise.resolve();

  const add = (subscription: Subscription): void => {
    const { id } = subscription;
    const lane = laneFor(subscription, () => entries.get(id)?.subscription ?? subscription);
    entries.set(id, { lane, subscription });
  };

  const drop = (id: string): void => {
    const entry = entries.get(id);
    entries.delete(id);
    // One that is on again goes on from there.
    void entry?.lane.leaveAll().then((left) => {
      for (const cursor of left) unsaved.set(`${cursor.subscription_id} ${cursor.partition}`, cursor);
    });
  };

  const refresh = (subscriptions: readonly Subscription[]): void => {
    const wanted = new Set(subscriptions.map(({ id }) => id));
    for (const id of entries.keys()) if (!wanted.has(id)) drop(id);
    for (const subscription of subscriptions) {
      const known = entries.get(subscription.id);
      if (known) known.subscription = subscription;
      else add(subscription);
    }
  };

  const openWhatIsMissing = async (tenures: readonly Tenure[]): Promise<void> => {
    const missing = [...entries.values()].flatMap(({ lane, subscription }) => {
      const places = tenures.filter((tenure) => !lane.serves(tenure));
      return places.length > 0 ? [{ lane, subscription, places }] : [];
    });
    if (missing.length === 0) return;
    const partitions = new Set(missing.flatMap(({ places }) => places.map(({ partition }) => partition)));
    const ids = missing.map(({ subscription }) => subscription.id);
    await prepare(ids, [...partitions]);
    const saved = await cursors.read(ids, [...partitions]);
    const byPlace = new Map(
      saved.map(({ subscription_id, partition, seq }) => [`${subscription_id} ${partition}`, seq]),
    );
    for (const { lane, subscription, places } of missing)
      lane.open(
        places
          .filter(({ signal }) => !signal.aborted)
          .map((tenure) => ({
            tenure,
            cursor: byPlace.get(`${subscription.id} ${tenure.partition}`) ?? subscription.start_seq,
          })),
      );
  };

  const saveAll = async (): Promise<void> => {
    const due = [...unsaved];
    await cursors.save(due.map(([, cursor]) => cursor));
    for (const [place, cursor] of due) if (unsaved.get(place) === cursor) unsaved.delete(place);
  };

  /** One after the other: a lost connection ends all partitions at once, and the first save is that of all of them. */
  const save = (moved: readonly Cursor[]): Promise<void> => {
    for (const cursor of moved) unsaved.set(`${cursor.subscription_id} ${cursor.partition}`, cursor);
    return (lastSave = lastSave.catch(() => undefined).then(saveAll));
  };

  return {
    async arrange(subscriptions, tenures) {
      refresh(subscriptions);
      await openWhatIsMissing(tenures);
      for (const { lane } of entries.values()) lane.catchUp();
    },
    async leave(partition) {
      const left = await Promise.all([...entries.values()].map(({ lane }) => lane.leave(partition)));
      // What can't be saved now is delivered once more by whoever comes next.
      await save(left.filter((cursor) => cursor !== undefined)).catch(() => undefined);
    },
    tell(rows, from) {
      if (rows.length === 0) for (const { lane } of entries.values()) lane.catchUp();
      const byAccount = new Map<number, LogRow[]>();
      for (const row of rows) {
        const known = byAccount.get(row.account_id);
        if (known) known.push(row);
        else byAccount.set(row.account_id, [row]);
      }
      for (const { lane, subscription } of entries.values()) {
        const own = byAccount.get(subscription.account_id);
        if (own) lane.offer(own, from);
      }
    },
    save: (lag) => save([...entries.values()].flatMap(({ lane }) => lane.moved(lag))),
    isEmpty: () => entries.size === 0,
    subscription: (id) => entries.get(id)?.subscription,
    drop,
  };
};
