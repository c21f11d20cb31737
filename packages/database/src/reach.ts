import { setTimeout } from "node:timers/promises";
import { DatabaseAway, isConnectionLost, failureLine } from "./errors/failure.ts";

export interface ReachOptions {
  /**
   * How old an outage may be while somebody waits for its end, and how long one try is waited for; time in which this process was itself
   * held up counts for neither. @units milliseconds
   */
  readonly patienceMs: number;
  /** How messages name the server. */
  readonly place: string;
  readonly log?: ((line: string) => void) | undefined;
}

/** How a connection is opened. */
export interface Opening<T> {
  readonly connect: () => Promise<T>;
  /** false: nobody wants it any more. */
  readonly goOn: () => boolean;
  /** Takes a connection that came when nobody waited for it any more. */
  readonly giveBack: (late: T) => void;
}

/** What all connections of one database know of its server: whether it can be reached. */
export interface ConnectionAttempts {
  /**
   * Opens a connection. While an outage is young it tries until the server is back; when it is older, this fails at once, but for one try
   * now and then that finds the server again. Nothing was sent yet, so that each try is safe.
   * @errors DatabaseAway; what a server that is there refuses with
   */
  through<T>(opening: Opening<T>): Promise<T>;
}

interface Outage {
  readonly since: number;
  last: number;
  isOld: boolean;
  reason: string;
  nextProbe: number;
  isSaid: boolean;
}

/** Between two tries of one who waits, at first and at most. @units milliseconds */
const PAUSE = { first: 10, longest: 250 };
/** Between two tries in an outage that nobody waits for. @units milliseconds */
const PROBE = 100;
/** In which a silence is counted. @units milliseconds */
const STEP = 50;
const LATE = Symbol("late");

/** Ends after a time in which this process ran: while it was itself held up, it could not hear what the server answered. */
const awake = async (ms: number, options: { signal?: AbortSignal; ref?: boolean } = {}): Promise<void> => {
  for (let left = ms; left > 0; left -= STEP) await setTimeout(Math.min(left, STEP), undefined, options);
};

export function reach({ patienceMs, place, log = () => undefined }: ReachOptions): ConnectionAttempts {
  let outage: Outage | undefined;

  const away = (): DatabaseAway => new DatabaseAway(`PostgreSQL at ${place} can't be reached: ${outage?.reason ?? ""}`);

  const begin = (since: number, reason: string): Outage => {
    const begun: Outage = { since, last: since, isOld: false, reason, nextProbe: 0, isSaid: false };
    void awake(patienceMs, { ref: false }).then(() => (begun.isOld = true));
    return begun;
  };

  const answered = (): void => {
    if (outage?.isSaid)
      log(`PostgreSQL at ${place} is back after ${((performance.now() - outage.since) / 1_000).toFixed(1)} s`);
    outage = undefined;
  };
  const missed = (reason: string, since: number, isOverdue = false): void => {
    // What nobody has looked at for so long says nothing of today.
    if (outage && since - outage.last > patienceMs) outage = undefined;
    outage ??= begin(since, reason);
    Object.assign(outage, { reason, last: performance.now(), isOld: outage.isOld || isOverdue });
    if (outage.isSaid || !outage.isOld) return;
    outage.isSaid = true;
    log(away().message);
  };

  const attempt = async <T>({ connect, giveBack }: Opening<T>): Promise<T | typeof LATE> => {
    const over = new AbortController();
    const connecting = connect();
    const late = awake(patienceMs, { signal: over.signal }).then(
      () => LATE,
      () => LATE,
    );
    const first = await Promise.race([connecting, late]).finally(() => over.abort());
    if (first === LATE)
      connecting.then(
        (connection) => {
          answered();
          giveBack(connection);
        },
        () => undefined,
      );
    return first as T | typeof LATE;
  };

  return {
    async through(opening) {
      for (let pause = PAUSE.first; ; pause = Math.min(pause * 2, PAUSE.longest)) {
        const now = performance.now();
        if (outage?.isOld) {
          if (now < outage.nextProbe) throw away();
          outage.nextProbe = now + PROBE;
        }
        try {
          const connection = await attempt(opening);
          if (connection !== LATE) {
            answered();
            return connection;
          }
          missed("it does not answer", now, true);
        } catch (error) {
          if (!isConnectionLost(error)) throw error;
          if (!opening.goOn()) throw error;
          missed(failureLine(error), now);
        }
        if (outage?.isOld) throw away();
        await setTimeout(pause);
      }
    },
  };
}
