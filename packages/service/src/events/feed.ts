import { bell, pause } from "./bell.ts";
import type { LogRow, LogStore } from "./db/log.ts";
import { advance, stillOf, type Frontier } from "./frontier.ts";
import type { DispatchRules } from "./rules.ts";

/** The one reader of the log's end in a process. */
export interface Feed {
  /** Up to where the log is final; undefined while that is not known yet. */
  horizon(): number | undefined;
  /** The log may have grown. */
  ring(): void;
  /** One look at the log and the wait after it. */
  step(): Promise<void>;
}

export interface FeedDeps {
  readonly log: LogStore;
  readonly rules: DispatchRules;
  readonly signal: AbortSignal;
  /** Nobody to tell: the log need not be read. */
  readonly isIdle: () => boolean;
  /** Hears, in order, of the rows that became final after `from`; the horizon is past them when it is called. */
  readonly tell: (rows: readonly LogRow[], from: number) => void;
}

/** Between two looks while the end of a transaction is awaited, at first. @units milliseconds */
const SHORTEST_LOOK = 2;

export const feed = ({ log, rules, signal, isIdle, tell }: FeedDeps): Feed => {
  const rung = bell();
  let frontier: Frontier | undefined;
  let looks = 0;

  const lookAgain = async (): Promise<void> => {
    await pause(Math.min(SHORTEST_LOOK * 2 ** looks, rules.gapMs), signal);
    looks += 1;
  };

  /** What was drawn so far is final once those who write to the log at this moment have ended. */
  const begin = async (): Promise<void> => {
    const horizon = await log.last();
    let writers: readonly string[] = await log.writers();
    looks = 0;
    while (!signal.aborted && writers.length > 0) {
      await lookAgain();
      writers = await stillOf(writers, log);
    }
    frontier = { horizon };
    tell([], horizon);
  };

  const read = async (from: Frontier): Promise<void> => {
    let rows: readonly LogRow[] = [];
    const look = async (after: number) => {
      rows = await log.look(after, rules.batch);
      return rows.map(({ seq }) => seq);
    };
    const { frontier: next, settled } = await advance(from, { look, writers: () => log.writers() });
    frontier = next;
    if (settled > 0) tell(rows.slice(0, settled), from.horizon);
    if (frontier.doubt) {
      if (settled > 0) looks = 0;
      return lookAgain();
    }
    looks = 0;
    if (rows.length === rules.batch) return;
    await rung.wait(rules.pollMs);
    await pause(rules.gatherMs, signal);
  };

  return {
    horizon: () => frontier?.horizon,
    ring: () => rung.ring(),
    async step() {
      if (isIdle()) {
        frontier = undefined;
        return rung.wait(rules.pollMs);
      }
      if (frontier) await read(frontier);
      else await begin();
    },
  };
};
