import { INVALID_VALUE, LAST_EVENT_ID, refuse, type StreamReset } from "@parley/contract";
import { createWakeSignal } from "../../base/concurrency/wake-signal.ts";
import type { Ports } from "../../base/environment/ports.ts";
import type { LogRow } from "../../base/log/store.ts";
import type { StreamPacing } from "./stream-pacing.ts";
import { STREAM_START, parseStreamCursor, cursorSignature, cursorText, type StreamCursor } from "./access.ts";
import type { EventFrame } from "./event-texts.ts";
import type { KeepAliveTimer } from "./keep-alive-timer.ts";
import type { LogReader, StreamSubject } from "./log-reader.ts";
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
    "The event named by Last-Event-ID is not in the log any more: events after it may be missing. Read your copy of the data anew; the events from now on follow.",
};

const DAY_MS = 86_400_000;

/** Time between two checks of the abort signal while the end of the log is not known. @units milliseconds */
const ABORT_CHECK_INTERVAL_MS = 1_000;

/** An absent or empty header asks for events from now on. @errors INVALID_VALUE for text that is not a cursor */
const requestedCursor = (header: string | undefined): StreamCursor | undefined => {
  if (header === undefined || header === "") return undefined;
  return (
    parseStreamCursor(header) ??
    refuse(INVALID_VALUE, `${LAST_EVENT_ID} must be the id of an event of this stream; leave it out to begin with now`)
  );
};

export const createConnect = ({ reading, store, now, retentionDays }: ConnectDeps) => {
  const retentionLimit = () => new Date(now().getTime() - retentionDays * DAY_MS);

  /** The high-watermark of the log, once it is known. */
  const horizonFor = async (accountId: number, signal: AbortSignal): Promise<number> => {
    const known = reading.horizon();
    if (known !== undefined) return known;
    const wakeSignal = createWakeSignal();
    const notify = () => wakeSignal.notify();
    const unfollow = reading.follow(accountId, { subject: undefined, isWanted: () => false, notify });
    signal.addEventListener("abort", notify, { once: true });
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
    // do not count as removed.
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

  /** @shape span: positions that the stream may be behind @errors INVALID_VALUE */
  return async (
    accountId: number,
    header: string | undefined,
    signal: AbortSignal,
    span = Infinity,
  ): Promise<StreamStart> => {
    const requested = requestedCursor(header);
    const isNear = !requested || span === Infinity || (await horizonFor(accountId, signal)) - requested.seq <= span;
    if (requested && isNear && (await isAvailable(requested, accountId, signal)))
      return { from: requested, reset: undefined };
    return { from: await end(accountId, signal), reset: requested && RESET };
  };
};

export interface SendEventsDeps {
  readonly reading: LogReader;
  readonly pacing: Pick<StreamPacing, "turn">;
}

/** Further texts of a stream, which are not in the log. */
export interface OutOfLogTexts {
  /** Calls the listener when there may be texts. -> stops */
  follow(listener: () => void): () => void;
  /** Is shown all events of the account, in the order of the log, before texts are taken. Absent: the stream reads only what it sends. */
  observe?(rows: readonly LogRow[]): void;
  /** Takes the texts that must be sent now. @errors those of the database */
  take(): Promise<readonly string[]>;
}

const isOf = (subject: StreamSubject | undefined, { entity_id, user_id }: LogRow): boolean => {
  if (!subject) return true;
  return "userId" in subject ? user_id === subject.userId : entity_id === subject.conversationId;
};

export interface EventStream {
  readonly accountId: number;
  /** Restricts the stream to events of a conversation or a user. */
  readonly subject: StreamSubject | undefined;
  /** Whether the stream sends an event of its subject. */
  readonly isWanted: (row: LogRow) => boolean;
  /** -> the text of an event, at once if it is known */
  readonly frameOf: (row: LogRow) => EventFrame | Promise<EventFrame>;
  /** The stream starts after this position. */
  readonly from: StreamCursor;
  readonly signal: AbortSignal;
  readonly outOfLog?: OutOfLogTexts | undefined;
  readonly keepAlives: KeepAliveTimer;
}

/** The reader's next cursor, sent also without events for the reader, so that it need not read the same range again. */
export const cursorLine = (cursor: StreamCursor): string => `id: ${cursorText(cursor)}\n`;

/**
 * Sends an account's events after a position in the order of the log, and texts that are not in the log as they come, as fast as the reader
 * takes them, until the signal aborts.
 * @errors those of reading the log
 */
export async function* createSendEvents(
  { reading, pacing }: SendEventsDeps,
  stream: EventStream,
): AsyncGenerator<string | Uint8Array, void> {
  const { accountId, subject, frameOf, from, signal, outOfLog, keepAlives } = stream;
  const isWanted = (row: LogRow) => isOf(subject, row) && stream.isWanted(row);
  const observesAll = outOfLog?.observe !== undefined;
  const wakeSignal = createWakeSignal();
  const wake = () => wakeSignal.notify();
  let firstWanted: number | undefined;
  const unfollow = reading.follow(accountId, {
    subject: observesAll ? undefined : subject,
    isWanted: observesAll ? () => true : isWanted,
    notify(seq) {
      firstWanted ??= seq;
      wake();
    },
  });
  const unfollowOthers = outOfLog?.follow(wake);
  signal.addEventListener("abort", wake);
  let position = from.seq;
  let sentUpTo = from.seq;
  let isKeepAliveDue = false;
  const removeKeepAlive = keepAlives.add(() => {
    isKeepAliveDue = true;
    wake();
  });

  /** A keep-alive comment, with the cursor when it has changed. */
  const keepAlive = (): string => {
    isKeepAliveDue = false;
    const last = reading.last();
    if (!last || last.seq <= sentUpTo || last.seq > position) return ": still here\n\n";
    sentUpTo = last.seq;
    return `: still here\n${cursorLine(last)}\n`;
  };

  /**
   * Waits at the end of the log, or until the end is known, for something to send. From the end on, the events in between are not read: the
   * stream was notified of the first event that it wants.
   */
  const sleep = async (): Promise<void> => {
    const isAtEnd = reading.horizon() !== undefined;
    firstWanted = undefined;
    await wakeSignal.wait();
    if (isAtEnd) position = Math.max(position, firstWanted === undefined ? (reading.horizon() ?? 0) : firstWanted - 1);
    if (firstWanted !== undefined) await pacing.turn();
  };

  const framesOf = async (rows: readonly LogRow[]): Promise<readonly Buffer[]> => {
    const made = rows.map(frameOf);
    const frames: EventFrame[] = [];
    for (const each of made) frames.push(each instanceof Promise ? await each : each);
    // When the texts are there, all streams that waited for them would send them without a break.
    if (made.some((each) => each instanceof Promise)) await pacing.turn();
    return frames.filter((frame) => frame !== undefined);
  };

  try {
    while (!signal.aborted) {
      const { rows, reached } = await reading.after(accountId, position, subject);
      outOfLog?.observe?.(rows);
      for (const text of (await outOfLog?.take()) ?? []) {
        yield text;
        if (signal.aborted) return;
      }
      const wanted = rows.filter(isWanted);
      const frames = await framesOf(wanted);
      if (frames.length > 0) {
        sentUpTo = wanted.at(-1)?.seq ?? sentUpTo;
        yield Buffer.concat(frames);
        if (signal.aborted) return;
      }
      position = reached;
      if (isKeepAliveDue) yield keepAlive();
      if (position >= (reading.horizon() ?? 0)) await sleep();
      else await pacing.turn();
    }
  } finally {
    signal.removeEventListener("abort", wake);
    removeKeepAlive();
    unfollow();
    unfollowOthers?.();
  }
}
