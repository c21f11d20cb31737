import { gather, groupCommit } from "@parley/database";
import type { HandledStore } from "./store.ts";

/** How long a finished event is remembered. @units milliseconds */
const REMEMBERED = 86_400_000;
const TOGETHER = 64;
/** @units milliseconds */
const HOUR = 3_600_000;

interface EventDeduplicationDeps {
  readonly store: HandledStore;
  readonly now: () => Date;
  readonly project: string;
}

/**
 * Runs the work of an event unless it ended well before; whoever comes while it runs waits for it and gets its outcome.
 * The note is written after the work has ended, so that a host killed between the two does the work again.
 */
export const createEventDeduplication = ({ store, now, project }: EventDeduplicationDeps) => {
  const running = new Map<string, Promise<boolean>>();
  // Events come many at a time: they are looked up, and noted, together.
  const isHandled = gather<string, boolean>({
    maxBatch: TOGETHER,
    run: async (ids) => {
      const known = await store.known(project, ids);
      return ids.map((id) => known.has(id));
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
    await store.forget(new Date(present - REMEMBERED));
  };
  const attempt = async (id: string, work: () => Promise<boolean>): Promise<boolean> => {
    if (await isHandled(id)) return true;
    if (!(await work())) return false;
    await notes.submit(id);
    await forget();
    return true;
  };

  /** -> whether the event's work ended well, this time or before. */
  return (id: string, work: () => Promise<boolean>): Promise<boolean> => {
    const before = running.get(id);
    if (before) return before;
    const mine = attempt(id, work).finally(() => running.delete(id));
    running.set(id, mine);
    return mine;
  };
};
