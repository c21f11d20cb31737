import { setTimeout } from "node:timers/promises";
import { DatabaseAway, isConnectionLost, failureLine } from "./errors/failure.ts";

export interface ReachOptions {
  /**
   * Maximum age of an outage during which callers wait, and timeout of one attempt. Time during which this process was suspended
   * counts for neither. @units milliseconds
   */
  readonly patienceMs: number;
  /** Display name of the server for messages. */
  readonly place: string;
  readonly log?: ((line: string) => void) | undefined;
}

/** A request for a connection. */
export interface Opening<T> {
  readonly connect: () => Promise<T>;
  /** false: the connection is no longer needed. */
  readonly goOn: () => boolean;
  /** Disposes of a connection that was established after its attempt had timed out. */
  readonly giveBack: (late: T) => void;
}

/** Outage detection shared by all connections of a database: a circuit breaker. */
export interface ConnectionAttempts {
  /**
   * Opens a connection. During a new outage it retries until the server is back. During an old outage it fails immediately, except for
   * an occasional probe that detects the server's return. Nothing has been sent yet, so that every retry is safe.
   * @errors DatabaseAway; errors of a reachable server that refuses the connection
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

/** Pauses between attempts of a waiting caller: initial and maximum. @units milliseconds */
const PAUSE = { first: 10, longest: 250 };
/** Minimum time between two probes of an old outage. @units milliseconds */
const PROBE = 100;
/** Granularity of the timeout. @units milliseconds */
const STEP = 50;
const LATE = Symbol("late");

/** Resolves after the process was running for this time: while it is suspended, it can't receive the server's response. */
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
    // An outage without recent attempts says nothing about the current state.
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
