import type { Log } from "@parley/telemetry";
import { setTimeout } from "node:timers/promises";
import { sleepWhileRunning } from "./running-time.ts";
import { DatabaseUnreachable, isConnectionLost, failureLine } from "./errors/failure.ts";

interface ConnectionAttemptOptions {
  /**
   * Maximum age of an outage during which callers wait, and timeout of one attempt. Time during which this process was suspended
   * counts for neither. @units milliseconds
   */
  readonly connectTimeoutMs: number;
  /** Display name of the server for messages. */
  readonly displayName: string;
  readonly log?: Log | undefined;
}

/** A request for a connection. */
interface ConnectionRequest<T> {
  readonly connect: () => Promise<T>;
  /** false: the connection is no longer needed. */
  readonly isWanted: () => boolean;
  /** Disposes of a connection that was established after its attempt had timed out. */
  readonly dispose: (connection: T) => void;
}

/** Outage detection shared by all connections of a database: a circuit breaker. */
export interface ConnectionAttempts {
  /**
   * Opens a connection. During a new outage it retries until the server is back. During an old outage it fails immediately, except for
   * an occasional probe that detects the server's return. Nothing has been sent yet, so that every retry is safe.
   * @errors DatabaseUnreachable; errors of a reachable server that refuses the connection
   */
  open<T>(request: ConnectionRequest<T>): Promise<T>;
}

interface Outage {
  readonly startedAt: number;
  lastFailureAt: number;
  isOld: boolean;
  reason: string;
  nextProbeAt: number;
  isLogged: boolean;
}

/** Pauses between attempts of a waiting caller: initial and maximum. @units milliseconds */
const retryDelayMs = { initial: 10, max: 250 };
/** Minimum time between two probes of an old outage. @units milliseconds */
const PROBE_INTERVAL_MS = 100;
const TIMED_OUT = Symbol("timed out");

export function createConnectionAttempts({
  connectTimeoutMs,
  displayName,
  log = () => undefined,
}: ConnectionAttemptOptions): ConnectionAttempts {
  let outage: Outage | undefined;

  const unreachable = (): DatabaseUnreachable =>
    new DatabaseUnreachable(`PostgreSQL at ${displayName} can't be reached: ${outage?.reason ?? ""}`);

  const startOutage = (startedAt: number, reason: string): Outage => {
    const started: Outage = {
      startedAt,
      lastFailureAt: startedAt,
      isOld: false,
      reason,
      nextProbeAt: 0,
      isLogged: false,
    };
    void sleepWhileRunning(connectTimeoutMs, { ref: false }).then(() => (started.isOld = true));
    return started;
  };

  const recordSuccess = (): void => {
    if (outage?.isLogged)
      log(
        `PostgreSQL at ${displayName} is back after ${((performance.now() - outage.startedAt) / 1_000).toFixed(1)} s`,
      );
    outage = undefined;
  };
  const recordFailure = (reason: string, startedAt: number, isOverdue = false): void => {
    // An outage without recent attempts says nothing about the current state.
    if (outage && startedAt - outage.lastFailureAt > connectTimeoutMs) outage = undefined;
    outage ??= startOutage(startedAt, reason);
    Object.assign(outage, { reason, lastFailureAt: performance.now(), isOld: outage.isOld || isOverdue });
    if (outage.isLogged || !outage.isOld) return;
    outage.isLogged = true;
    log(unreachable().message);
  };

  const attempt = async <T>({ connect, dispose }: ConnectionRequest<T>): Promise<T | typeof TIMED_OUT> => {
    const timer = new AbortController();
    const connecting = connect();
    const timedOut = sleepWhileRunning(connectTimeoutMs, { signal: timer.signal }).then(
      () => TIMED_OUT,
      () => TIMED_OUT,
    );
    const result = await Promise.race([connecting, timedOut]).finally(() => timer.abort());
    if (result === TIMED_OUT)
      connecting.then(
        (connection) => {
          recordSuccess();
          dispose(connection);
        },
        () => undefined,
      );
    return result as T | typeof TIMED_OUT;
  };

  return {
    async open(request) {
      for (let delayMs = retryDelayMs.initial; ; delayMs = Math.min(delayMs * 2, retryDelayMs.max)) {
        const now = performance.now();
        if (outage?.isOld) {
          if (now < outage.nextProbeAt) throw unreachable();
          outage.nextProbeAt = now + PROBE_INTERVAL_MS;
        }
        try {
          const connection = await attempt(request);
          if (connection !== TIMED_OUT) {
            recordSuccess();
            return connection;
          }
          recordFailure("it does not answer", now, true);
        } catch (error) {
          if (!isConnectionLost(error)) throw error;
          if (!request.isWanted()) throw error;
          recordFailure(failureLine(error), now);
        }
        if (outage?.isOld) throw unreachable();
        await setTimeout(delayMs);
      }
    },
  };
}
