import { isConnectionLost, type Pool } from "@parley/database";
import { foldStore } from "./db/fold.ts";

/** Keeps the counts that lists of users stand on short: brings changes into them, in the background. */
export interface UserRanks {
  /** A user was created or deleted. */
  wake(): void;
  /** Resolves when the fold under way has ended. */
  close(): Promise<void>;
}

/** Between two folds; meanwhile lists add the changes up themselves. @units milliseconds */
const PAUSE = 1_000;
/** How long what another process left is let lie. @units milliseconds */
const LONG_PAUSE = 30_000;

/** Folds once at the start, after changes, and now and then for processes that ended before they could. */
export const startUserRanks = ({
  pool,
  log,
}: {
  readonly pool: Pool;
  readonly log: (line: string) => void;
}): UserRanks => {
  const store = foldStore(pool);
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
  // Nothing is lost: the changes stay until a fold commits. That the database is away, others say.
  const complain = (error: unknown) => {
    if (!closed && !isConnectionLost(error))
      log(`user ranks: ${error instanceof Error ? error.message : String(error)}`);
  };
  const run = () => {
    due = Number.POSITIVE_INFINITY;
    if (folding) return plan(PAUSE);
    folding = foldAll()
      .catch(complain)
      .then(() => {
        folding = undefined;
        plan(LONG_PAUSE);
      });
  };
  plan(PAUSE);
  return {
    wake: () => plan(PAUSE),
    async close() {
      closed = true;
      clearTimeout(timer);
      await folding;
    },
  };
};
