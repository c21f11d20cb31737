import type { Db, Pool } from "@parley/database";
import { failureText, type Log } from "@parley/telemetry";
import type { BackgroundJobs, JobTasks } from "../jobs/index.ts";
import type { Ports } from "../environment/ports.ts";
import type { ObjectStore } from "./object-store.ts";
import { withoutNewReferences } from "./store.ts";

/** A table whose rows refer to objects. */
export interface ObjectOwner {
  /** Whether rows of this table can refer to the key. Keys that belong to no owner are kept. */
  readonly owns: (key: string) => boolean;
  /** -> those of its keys that no row refers to; read in the transaction that excludes new references to old objects */
  readonly unreferenced: (tx: Db, keys: readonly string[]) => Promise<readonly string[]>;
}

/** Numbers of objects that a sweep has removed. */
interface SweepCounts {
  readonly orphans: number;
  readonly incomplete: number;
}

interface SweepDeps {
  readonly db: Pool;
  readonly objects: Pick<ObjectStore, "list" | "remove" | "removeIncomplete">;
  readonly owners: readonly ObjectOwner[];
}

/**
 * Age below which an object is kept, whether a row refers to it or not: its row may be on the way. An import may add rows for files that were
 * copied before.
 * @units milliseconds @assumed One day.
 */
const GRACE_MS = 24 * 60 * 60 * 1000;
/** Objects that are compared with the rows at a time. */
const BATCH = 100;

/**
 * Removes objects that no row refers to, and the remains of puts that were interrupted. Both are left by processes that were killed, and by
 * commits whose result got lost. Ages are those of the storage, so that no clock of the service matters.
 * @errors the signal's reason
 */
export async function sweepOrphans(
  { db, objects, owners }: SweepDeps,
  { signal, graceMs = GRACE_MS }: { readonly signal: AbortSignal; readonly graceMs?: number },
): Promise<SweepCounts> {
  let orphans = 0;
  const sweepBatch = async (owner: ObjectOwner, keys: readonly string[]): Promise<void> => {
    signal.throwIfAborted();
    if (keys.length === 0) return;
    await withoutNewReferences(db, async (tx) => {
      for (const key of await owner.unreferenced(tx, keys)) {
        await objects.remove(key);
        orphans += 1;
      }
    });
  };
  const batches = new Map<ObjectOwner, string[]>(owners.map((owner) => [owner, []]));
  for await (const { key, ageMs } of objects.list()) {
    const owner = ageMs > graceMs ? owners.find(({ owns }) => owns(key)) : undefined;
    const keys = owner && batches.get(owner);
    if (!keys) continue;
    keys.push(key);
    if (keys.length === BATCH) await sweepBatch(owner, keys.splice(0));
  }
  for (const [owner, keys] of batches) await sweepBatch(owner, keys);
  return { orphans, incomplete: await objects.removeIncomplete(graceMs) };
}

/** Task name stored in the database; must not change. */
const TASK = "sweep_objects";
/** Before the first sweep of a database. @units milliseconds */
const FIRST_MS = 60 * 60 * 1000;
/** Between the sweeps of all processes. @units milliseconds */
const INTERVAL_MS = 24 * 60 * 60 * 1000;

interface OrphanSweepDeps extends SweepDeps {
  readonly jobs: Pick<BackgroundJobs, "ensure">;
  readonly ports: Pick<Ports, "now">;
  /** false: nothing is removed. */
  readonly isEnabled: boolean;
  readonly log: Log;
}

/** Schedules the sweep: one job for all processes, which requests the next job. */
export const createOrphanSweep = ({ jobs, ports, isEnabled, log, ...deps }: OrphanSweepDeps) => {
  const { db } = deps;
  const schedule = (ms: number, isNext: boolean) =>
    jobs.ensure(db, { task: TASK, payload: null, due: new Date(ports.now().getTime() + ms), isNext });
  const report = (error: unknown) =>
    log(`Looking for objects without a row: ${failureText(error)}`, { level: "error", part: "objects" });
  const sweep = async (signal: AbortSignal): Promise<void> => {
    try {
      const { orphans, incomplete } = await sweepOrphans(deps, { signal });
      if (orphans + incomplete > 0)
        log(`Removed ${orphans} objects without a row and ${incomplete} incomplete objects.`, { part: "objects" });
    } catch (error) {
      if (signal.aborted) throw error;
      // The next sweep does the same: no attempt before it is needed.
      report(error);
    }
  };
  const tasks: JobTasks = {
    [TASK]: async (_payload, { signal }) => {
      if (!isEnabled) return;
      await sweep(signal);
      await schedule(INTERVAL_MS, true);
    },
  };
  return {
    tasks,
    begin: (): void => {
      if (isEnabled) schedule(FIRST_MS, false).catch(report);
    },
  };
};
