import type { HostSettings } from "../../environment/settings.ts";

/** Messages beyond the limits that are read in a second, before the platform stops reading until the second ends. */
const EXCESS_PER_SECOND = 2_000;
/** Consecutive seconds with such a stop, after which the process is ended. */
const FLOOD_SECONDS_MAX = 10;
/** An installation without a process for this long starts anew. @units milliseconds */
const UNUSED_MS = 600_000;
const SECOND_MS = 1_000;

/** What an installation may send to the platform. */
export interface MessageBudget {
  /** -> whether one more line of the log may be read; otherwise it is counted as dropped */
  admitLine(): boolean;
  /** Counts a message that is refused: a question beyond the limit, an answer that nobody awaits, a dropped line. */
  countExcess(): void;
  /** Lines that were dropped since the last call of this method. */
  takeDropped(): number;
  /** Time for which nothing more should be read. @units milliseconds */
  pauseMs(): number;
  /** -> whether it has flooded the platform for so long that its process should be ended */
  isFlooding(): boolean;
}

/** Bytes of answers that are in flight for one question. */
export interface AnswerShare {
  /** Waits until the bytes fit into the budget. A share is taken once: further calls return at once. */
  take(bytes: number): Promise<void>;
  /** Gives the bytes back, or leaves the queue. */
  release(): void;
}

/** Limits of an installation that outlast its processes: a restart does not reset them. */
export interface InstallationBudget {
  readonly messages: MessageBudget;
  /** Opens the share of a question. */
  openShare(): AnswerShare;
}

/** @units linesPerSecond; `now` in milliseconds */
export const createMessageBudget = (
  linesPerSecond: number,
  now: () => number = () => performance.now(),
): MessageBudget => {
  let second = -1;
  let lines = 0;
  let excess = 0;
  let dropped = 0;
  let floodSeconds = 0;
  const enterSecond = (): number => {
    const time = now();
    const present = Math.floor(time / SECOND_MS);
    if (present === second) return time;
    floodSeconds = excess > EXCESS_PER_SECOND && present === second + 1 ? floodSeconds + 1 : 0;
    [second, lines, excess] = [present, 0, 0];
    return time;
  };
  const countExcess = () => {
    enterSecond();
    excess += 1;
  };
  return {
    admitLine() {
      enterSecond();
      if (lines < linesPerSecond) {
        lines += 1;
        return true;
      }
      dropped += 1;
      excess += 1;
      return false;
    },
    countExcess,
    takeDropped() {
      const taken = dropped;
      dropped = 0;
      return taken;
    },
    pauseMs() {
      if (excess <= EXCESS_PER_SECOND) return 0;
      const time = enterSecond();
      return excess > EXCESS_PER_SECOND ? SECOND_MS - (time % SECOND_MS) : 0;
    },
    isFlooding: () => floodSeconds >= FLOOD_SECONDS_MAX,
  };
};

interface WaitingShare {
  readonly bytes: number;
  admit(): void;
}

/** Admits answers in the order in which they asked. One that is larger than the whole budget is admitted alone. @units bytes */
export const createAnswerBudget = (maxBytes: number): { openShare(): AnswerShare; readonly inFlight: () => number } => {
  let inFlight = 0;
  const queue: WaitingShare[] = [];
  const admitWaiting = () => {
    for (let [next] = queue; next && (inFlight === 0 || inFlight + next.bytes <= maxBytes); [next] = queue) {
      queue.shift();
      inFlight += next.bytes;
      next.admit();
    }
  };
  const openShare = (): AnswerShare => {
    let admitted: Promise<void> | undefined;
    let waiting: WaitingShare | undefined;
    let held = 0;
    let isReleased = false;
    return {
      take(bytes) {
        admitted ??= new Promise((resolve) => {
          if (isReleased) return resolve();
          waiting = {
            bytes,
            admit() {
              held = bytes;
              waiting = undefined;
              resolve();
            },
          };
          queue.push(waiting);
          return admitWaiting();
        });
        return admitted;
      },
      release() {
        isReleased = true;
        const waited = waiting;
        waiting = undefined;
        if (waited) {
          queue.splice(queue.indexOf(waited), 1);
          waited.admit();
          waiting = undefined;
          held = 0;
        }
        inFlight -= held;
        held = 0;
        admitWaiting();
      },
    };
  };
  return { openShare, inFlight: () => inFlight };
};

export type BudgetSettings = Pick<HostSettings, "maxLogLinesPerSecond" | "maxAnswerBytes">;

export const createInstallationBudget = (settings: BudgetSettings): InstallationBudget => {
  const answers = createAnswerBudget(settings.maxAnswerBytes);
  return {
    messages: createMessageBudget(settings.maxLogLinesPerSecond),
    openShare: () => answers.openShare(),
  };
};

/** The budgets of all installations, by installation. */
export const createInstallationBudgets = (settings: BudgetSettings) => {
  const budgets = new Map<string, { readonly budget: InstallationBudget; usedAt: number }>();
  let nextSweepAt = 0;
  return {
    of(installation: string): InstallationBudget {
      const now = performance.now();
      if (now >= nextSweepAt) {
        nextSweepAt = now + UNUSED_MS;
        for (const [name, { usedAt }] of budgets) if (now - usedAt > UNUSED_MS) budgets.delete(name);
      }
      const entry = budgets.get(installation) ?? { budget: createInstallationBudget(settings), usedAt: now };
      entry.usedAt = now;
      budgets.set(installation, entry);
      return entry.budget;
    },
  };
};
