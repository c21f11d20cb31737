import { gather, groupCommit } from "@parley/database";
import type { HandledStore } from "./store.ts";

/** Retention of handled event ids. @units milliseconds */
const RETENTION_MS = 86_400_000;
const BATCH_SIZE_MAX = 64;
/** @units milliseconds */
const HOUR = 3_600_000;

interface EventDeduplicationDeps {
  readonly store: HandledStore;
  readonly now: () => Date;
  readonly project: string;
}

/**
 * Runs the work of an event unless it has already succeeded. A duplicate that arrives while the work runs waits for it and gets its result.
 * The id is stored after the work has ended, so that a host that is killed in between repeats the work.
 */
export const createEventDeduplication = ({ store, now, project }: EventDeduplicationDeps) => {
  const running = new Map<string, Promise<boolean>>();
  // Many events arrive at the same time: their ids are looked up and stored in batches.
  const isHandled = gather<string, boolean>({
    maxBatch: BATCH_SIZE_MAX,
    run: async (ids) => {
      const succeededIds = await store.known(project, ids);
      return ids.map((id) => succeededIds.has(id));
    },
  });
  const notes = groupCommit<string, undefined>({
    run: async (ids) => {
      await store.add(project, ids, now());
      return ids.map(() => undefined);
    },
  });
  let forgotten = -Infinity;

  const forget = async () => {
    const present = now().getTime();
    if (present - forgotten < HOUR) return;
    forgotten = present;
    await store.forget(new Date(present - RETENTION_MS));
  };
  const attempt = async (id: string, work: () => Promise<boolean>): Promise<boolean> => {
    if (await isHandled(id)) return true;
    if (!(await work())) return false;
    await notes.submit(id);
    await forget();
    return true;
  };

  /** -> whether the event's work succeeded, now or earlier */
  return (id: string, work: () => Promise<boolean>): Promise<boolean> => {
    const before = running.get(id);
    if (before) return before;
    const mine = attempt(id, work).finally(() => running.delete(id));
    running.set(id, mine);
    return mine;
  };
};
