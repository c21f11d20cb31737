import { createWakeSignal } from "../concurrency/wake-signal.ts";
import type { LogRow } from "../log/store.ts";
import { type StreamAccess, cursorText, cursorSignature, type StreamCursor } from "./access.ts";
import type { LogReader } from "./log-reader.ts";
import type { StreamRules } from "./stream-rules.ts";
import type { EventTexts } from "./event-texts.ts";

export interface SendEventsDeps {
  readonly reading: LogReader;
  readonly texts: EventTexts;
  readonly rules: Pick<StreamRules, "keepAliveMs">;
}

export interface EventStream {
  readonly accountId: number;
  readonly access: StreamAccess;
  /** Restricts the stream to events of this conversation. */
  readonly conversationId: string | undefined;
  /** The stream starts after this position. */
  readonly from: StreamCursor;
  readonly signal: AbortSignal;
}

/** One event in the format of SSE; its JSON contains no line ends. */
const eventText = ({ seq, id, kind }: LogRow, text: string): string =>
  `id: ${cursorText({ seq, sign: cursorSignature(id) })}\nevent: ${kind}\ndata: ${text}\n\n`;

/** The reader's next cursor, sent also without events for the reader, so that it need not read the same range again. */
export const cursorLine = (cursor: StreamCursor): string => `id: ${cursorText(cursor)}\n`;

/**
 * Sends an account's events after a position in the order of the log, as fast as the reader takes them, until the signal aborts.
 * @errors those of reading the log
 */
export async function* createSendEvents(
  { reading, texts, rules }: SendEventsDeps,
  stream: EventStream,
): AsyncGenerator<string, void> {
  const { accountId, access, conversationId, from, signal } = stream;
  const isWanted = ({ kind, entity_id }: LogRow) =>
    access.kinds.has(kind) && (conversationId === undefined || entity_id === conversationId);
  const wakeSignal = createWakeSignal();
  const notify = () => wakeSignal.notify();
  const unfollow = reading.follow(accountId, notify);
  signal.addEventListener("abort", notify);
  let position = from.seq;
  let sentUpTo = from.seq;
  let nextKeepAlive = performance.now() + rules.keepAliveMs;

  /** A keep-alive comment, with the cursor when it has changed. */
  const keepAlive = (): string => {
    nextKeepAlive = performance.now() + rules.keepAliveMs;
    const last = reading.last();
    if (!last || last.seq <= sentUpTo || last.seq > position) return ": still here\n\n";
    sentUpTo = last.seq;
    return `: still here\n${cursorLine(last)}\n`;
  };

  try {
    while (!signal.aborted) {
      const { rows, reached } = await reading.after(accountId, position);
      const wanted = rows.filter(isWanted);
      const made = await Promise.all(wanted.map(({ seq }) => texts(seq, access)));
      for (const [index, row] of wanted.entries()) {
        const text = made[index];
        if (text === undefined) continue;
        sentUpTo = row.seq;
        yield eventText(row, text);
        nextKeepAlive = performance.now() + rules.keepAliveMs;
        if (signal.aborted) return;
      }
      position = reached;
      if (performance.now() >= nextKeepAlive) yield keepAlive();
      if (position >= (reading.horizon() ?? 0)) await wakeSignal.wait(Math.max(1, nextKeepAlive - performance.now()));
    }
  } finally {
    signal.removeEventListener("abort", notify);
    unfollow();
  }
}
