import type { HostSettings } from "../../environment/settings.ts";
import { createRequestBreaker, type RequestBreaker } from "./request-breaker.ts";

/** Messages beyond the limits are counted in spans of this length. @units milliseconds */
const SPAN_MS = 50;
/** Messages beyond the limits that are read in a span, before the platform stops reading until the span ends. */
const EXCESS_PER_SPAN = 100;
/** Consecutive spans with such a stop, after which the process is ended: ten seconds. */
const FLOOD_SPANS_MAX = 200;
/** An installation without a process for this long starts anew. @units milliseconds */
const UNUSED_MS = 600_000;
const SECOND_MS = 1_000;

/** Limits of an installation's messages to the platform. */
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
  /** Gives the bytes back, or leaves the queue. @shape isWasted: the request failed, for example because its answer was too large */
  release(isWasted?: boolean): void;
}

/** Limits of an installation that outlast its processes: a restart does not reset them. */
export interface InstallationBudget {
  readonly messages: MessageBudget;
  readonly breaker: RequestBreaker;
  /** Opens the share of a question. */
  openShare(): AnswerShare;
}

/** @units linesPerSecond; `now` in milliseconds */
export const createMessageBudget = (
  linesPerSecond: number,
  now: () => number = () => performance.now(),
): MessageBudget => {
  let [second, lines] = [-1, 0];
  let [span, excess] = [-1, 0];
  let dropped = 0;
  let floodSpans = 0;
  const enterSpan = (time: number): void => {
    const present = Math.floor(time / SPAN_MS);
    if (present === span) return;
    // A span is left out if the platform itself was late.
    floodSpans = excess > EXCESS_PER_SPAN && present <= span + 2 ? floodSpans + 1 : 0;
    [span, excess] = [present, 0];
  };
  const countExcess = () => {
    enterSpan(now());
    excess += 1;
  };
  return {
    admitLine() {
      const present = Math.floor(now() / SECOND_MS);
      if (present !== second) [second, lines] = [present, 0];
      if (lines < linesPerSecond) {
        lines += 1;
        return true;
      }
      dropped += 1;
      countExcess();
      return false;
    },
    countExcess,
    takeDropped() {
      const taken = dropped;
      dropped = 0;
      return taken;
    },
    pauseMs() {
      if (excess <= EXCESS_PER_SPAN) return 0;
      const time = now();
      enterSpan(time);
      return excess > EXCESS_PER_SPAN ? SPAN_MS - (time % SPAN_MS) : 0;
    },
    isFlooding() {
      enterSpan(now());
      return floodSpans >= FLOOD_SPANS_MAX;
    },
  };
};

interface WaitingShare {
  readonly bytes: number;
  admit(): void;
}

/** Time for which an answer counts at least: an installation reads its whole budget twice a second at most. @units milliseconds */
const ANSWER_HELD_MS_MIN = 500;
/**
 * Time for which the answer of a failed request counts at least. The bytes that were read of an answer that is too large become garbage, and its
 * collection delays all installations: with 16 concurrent requests for 100 MB each, collections stopped the platform process for 30 to 80 ms
 * several times a second. @units milliseconds
 */
const WASTED_ANSWER_HELD_MS = 5_000;

/**
 * Admits answers in the order in which they asked. One that is larger than the whole budget is admitted alone. @shape heldMinMs, wastedHeldMs:
 * bytes that are given back earlier count until then, which bounds the rate @units bytes; milliseconds
 */
export const createAnswerBudget = (
  maxBytes: number,
  heldMinMs = 0,
  wastedHeldMs = heldMinMs,
): { openShare(): AnswerShare; readonly inFlight: () => number } => {
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
    let heldSince = 0;
    let isReleased = false;
    return {
      take(bytes) {
        admitted ??= new Promise((resolve) => {
          if (isReleased) return resolve();
          waiting = {
            bytes,
            admit() {
              held = bytes;
              heldSince = performance.now();
              waiting = undefined;
              resolve();
            },
          };
          queue.push(waiting);
          return admitWaiting();
        });
        return admitted;
      },
      release(isWasted = false) {
        isReleased = true;
        const waited = waiting;
        waiting = undefined;
        if (waited) {
          queue.splice(queue.indexOf(waited), 1);
          waited.admit();
          waiting = undefined;
          held = 0;
        }
        const returned = held;
        held = 0;
        const giveBack = () => {
          inFlight -= returned;
          admitWaiting();
        };
        const remainingMs = heldSince + (isWasted ? wastedHeldMs : heldMinMs) - performance.now();
        if (returned > 0 && remainingMs > 0) setTimeout(giveBack, remainingMs).unref();
        else giveBack();
      },
    };
  };
  return { openShare, inFlight: () => inFlight };
};

type BudgetSettings = Pick<HostSettings, "maxLogLinesPerSecond" | "maxAnswerBytes">;

/** Twice the lines that a process sends: its seconds and those of the platform begin at different times. */
export const messageBudgetOf = ({ maxLogLinesPerSecond }: Pick<BudgetSettings, "maxLogLinesPerSecond">) =>
  createMessageBudget(2 * maxLogLinesPerSecond);

export const createInstallationBudget = (settings: BudgetSettings): InstallationBudget => {
  const answers = createAnswerBudget(settings.maxAnswerBytes, ANSWER_HELD_MS_MIN, WASTED_ANSWER_HELD_MS);
  return {
    messages: messageBudgetOf(settings),
    breaker: createRequestBreaker(),
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
