import { isConnectionLost, type Pool } from "@parley/database";
import { failureText, type Log } from "@parley/telemetry";
import { rankStore } from "./ranks.sql.ts";

/** Background folding of pending changes into the range counts that user lists rely on. */
interface UserRanks {
  /** Schedules a fold after a user was created or deleted. */
  wake(): void;
  /** Resolves when the running fold has ended. */
  close(): Promise<void>;
}

/** Minimum pause between folds; until then, lists sum up the pending changes. @units milliseconds */
const FOLD_PAUSE_MS = 1_000;
/** Interval of folds for changes left by other processes. @units milliseconds */
const IDLE_FOLD_PAUSE_MS = 30_000;

/** Folds at the start, after changes, and periodically for processes that ended before their fold. */
export const startUserRanks = ({ pool, log }: { readonly pool: Pool; readonly log: Log }): UserRanks => {
  const store = rankStore(pool);
  let timer: NodeJS.Timeout | undefined;
  let due = Number.POSITIVE_INFINITY;
  let folding: Promise<void> | undefined;
  let closed = false;

  const foldAll = async () => {
    for (const account of await store.accounts()) {
      if (closed) return;
      await store.fold(account);
    }
  };
  const plan = (pause: number) => {
    const at = performance.now() + pause;
    if (closed || at >= due) return;
    clearTimeout(timer);
    due = at;
    timer = setTimeout(run, pause);
    timer.unref();
  };
  // Changes stay pending until a fold commits, so an error loses nothing. Lost connections are reported elsewhere.
  const logError = (error: unknown) => {
    if (!closed && !isConnectionLost(error)) log(failureText(error), { level: "error", part: "users" });
  };
  const run = () => {
    due = Number.POSITIVE_INFINITY;
    if (folding) return plan(FOLD_PAUSE_MS);
    folding = foldAll()
      .catch(logError)
      .then(() => {
        folding = undefined;
        plan(IDLE_FOLD_PAUSE_MS);
      });
  };
  plan(FOLD_PAUSE_MS);
  return {
    wake: () => plan(FOLD_PAUSE_MS),
    async close() {
      closed = true;
      clearTimeout(timer);
      await folding;
    },
  };
};
