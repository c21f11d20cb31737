import { failureText, type Log } from "@parley/telemetry";
import type { Pool } from "@parley/database";
import type { Ports } from "../../base/environment/ports.ts";
import type { BackgroundJobs, JobTasks } from "../../base/jobs/jobs.ts";
import type { RemoveUser } from "../../messaging/users/remove.ts";
import { visitorPageStore } from "../../messaging/visitor-pages/store.ts";
import { visitorStore } from "./store.ts";

/** Task name stored in the database; must not change. */
const TASK = "remove_forgotten_visitors";
/** Before the first removal of a database. @units milliseconds */
const FIRST_MS = 60 * 60 * 1000;
/** Between the removals of all processes. @units milliseconds */
const INTERVAL_MS = 6 * 60 * 60 * 1000;
/** Users of one read. */
const BATCH_SIZE = 100;

interface VisitorRemovalDeps {
  readonly pool: Pool;
  readonly jobs: Pick<BackgroundJobs, "ensure">;
  readonly ports: Pick<Ports, "now">;
  readonly removeUser: RemoveUser;
  readonly log: Log;
}

/**
 * Deletes anonymous users whom the messenger began and who have not written a message within the time of `MESSENGER_LIMITS`, and the pages of
 * visitors that agents may not see any more: one job for all processes, which requests the next job.
 */
export const createVisitorRemoval = ({ pool, jobs, ports, removeUser, log }: VisitorRemovalDeps) => {
  const store = visitorStore(pool);
  const schedule = (ms: number, isNext: boolean) =>
    jobs.ensure(pool, { task: TASK, payload: null, due: new Date(ports.now().getTime() + ms), isNext });
  const remove = async (signal: AbortSignal): Promise<void> => {
    for (;;) {
      const batch = await store.forgotten(ports.now(), BATCH_SIZE);
      let removed = 0;
      for (const { account_id, user_id } of batch) {
        signal.throwIfAborted();
        // Asked again while the user is locked: the first message may have come meanwhile.
        if (await removeUser(account_id, user_id, (tx) => visitorStore(tx).isForgotten(account_id, user_id)))
          removed += 1;
      }
      if (batch.length < BATCH_SIZE || removed === 0) return;
    }
  };
  const tasks: JobTasks = {
    [TASK]: async (_payload, { signal }) => {
      await remove(signal);
      await visitorPageStore(pool).removeHidden(signal);
      await schedule(INTERVAL_MS, true);
    },
  };
  return {
    tasks,
    begin: (): void => {
      schedule(FIRST_MS, false).catch((error: unknown) =>
        log(`Requesting the removal of visitors: ${failureText(error)}`, { level: "error", part: "messenger" }),
      );
    },
  };
};
