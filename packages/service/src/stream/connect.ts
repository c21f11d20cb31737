import { INVALID_VALUE, LAST_EVENT_ID, refuse, type StreamReset } from "@parley/contract";
import { createWakeSignal } from "../concurrency/wake-signal.ts";
import type { Ports } from "../environment/ports.ts";
import { STREAM_START, cursorOf, cursorSignature, type StreamCursor } from "./access.ts";
import type { LogReader } from "./log-reader.ts";
import type { StreamStore } from "./store.ts";

/** The start of a stream. */
interface StreamStart {
  readonly from: StreamCursor;
  /** Sent first, when the events that the reader asked for are no longer kept. */
  readonly reset: StreamReset | undefined;
}

export interface ConnectDeps {
  readonly reading: Pick<LogReader, "horizon" | "follow">;
  readonly store: Pick<StreamStore, "eventAt" | "lastAt" | "isComplete">;
  readonly now: Ports["now"];
  /** Retention of events in the log. @units days */
  readonly retentionDays: number;
}

const RESET: StreamReset = {
  reason: "LAST_EVENT_GONE",
  message:
    "The event named by Last-Event-ID is not in the log any more: events after it may be missing. Read anew what you keep; what happens from now on follows.",
};

const DAY_MS = 86_400_000;

/** Time between two checks of the abort signal while the end of the log is not known. @units milliseconds */
const ABORT_CHECK_INTERVAL_MS = 1_000;

/** An absent or empty header asks for events from now on. @errors INVALID_VALUE for text that is no cursor */
const requestedCursor = (header: string | undefined): StreamCursor | undefined => {
  if (header === undefined || header === "") return undefined;
  return (
    cursorOf(header) ??
    refuse(INVALID_VALUE, `${LAST_EVENT_ID} must be the id of an event of this stream; leave it out to begin with now`)
  );
};

export const createConnect = ({ reading, store, now, retentionDays }: ConnectDeps) => {
  const retentionLimit = () => new Date(now().getTime() - retentionDays * DAY_MS);

  /** The high-watermark of the log, once it is known. */
  const horizonFor = async (accountId: number, signal: AbortSignal): Promise<number> => {
    const wakeSignal = createWakeSignal();
    const unfollow = reading.follow(accountId, () => wakeSignal.notify());
    signal.addEventListener("abort", () => wakeSignal.notify(), { once: true });
    try {
      while (reading.horizon() === undefined && !signal.aborted) await wakeSignal.wait(ABORT_CHECK_INTERVAL_MS);
    } finally {
      unfollow();
    }
    return reading.horizon() ?? 0;
  };

  const isAvailable = async ({ seq, sign }: StreamCursor, accountId: number, signal: AbortSignal): Promise<boolean> => {
    const oldest = retentionLimit();
    const event = sign === STREAM_START ? undefined : await store.eventAt(seq);
    if (sign !== STREAM_START && (event === undefined || cursorSignature(event.id) !== sign)) return false;
    if (event !== undefined && event.created_time > oldest) return true;
    // An old event may be kept for a subscriber that has not received it while events after it are removed. Rows that are being written
    // are not removed ones.
    return store.isComplete(seq, oldest, await horizonFor(accountId, signal));
  };

  /** The end of the log. */
  const end = async (accountId: number, signal: AbortSignal): Promise<StreamCursor> => {
    const horizon = await horizonFor(accountId, signal);
    const last = await store.lastAt(horizon);
    // Events after an old one may be removed.
    const isNear = last !== undefined && (last.seq === horizon || last.created_time > retentionLimit());
    return isNear ? { seq: last.seq, sign: cursorSignature(last.id) } : { seq: horizon, sign: STREAM_START };
  };

  /** @errors INVALID_VALUE */
  return async (accountId: number, header: string | undefined, signal: AbortSignal): Promise<StreamStart> => {
    const requested = requestedCursor(header);
    if (requested && (await isAvailable(requested, accountId, signal))) return { from: requested, reset: undefined };
    return { from: await end(accountId, signal), reset: requested && RESET };
  };
};
