import { createWakeSignal } from "../concurrency/wake-signal.ts";
import type { LogRow } from "../log/store.ts";
import { type StreamAccess, cursorText, cursorSignature, type StreamCursor } from "./access.ts";
import type { LogReader } from "./log-reader.ts";
import type { StreamRules } from "./stream-rules.ts";
import type { EventTexts } from "./event-texts.ts";

export interface SendEventsDeps {
  readonly reading: LogReader;
  readonly texts: EventTexts;
  readonly rules: Pick<StreamRules, "beatMs">;
}

export interface Told {
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
export const cursorLine = (place: StreamCursor): string => `id: ${cursorText(place)}\n`;

/**
 * Sends an account's events after a position in the order of the log, as fast as the reader takes them, until the signal aborts.
 * @errors those of reading the log
 */
export async function* createSendEvents(
  { reading, texts, rules }: SendEventsDeps,
  told: Told,
): AsyncGenerator<string, void> {
  const { accountId, access, conversationId, from, signal } = told;
  const isHeard = ({ kind, entity_id }: LogRow) =>
    access.kinds.has(kind) && (conversationId === undefined || entity_id === conversationId);
  const rung = createWakeSignal();
  const wake = () => rung.notify();
  const leave = reading.follow(accountId, wake);
  signal.addEventListener("abort", wake);
  let position = from.seq;
  let said = from.seq;
  let beat = performance.now() + rules.beatMs;

  /** A keep-alive comment, with the cursor when it has changed. */
  const sign = (): string => {
    beat = performance.now() + rules.beatMs;
    const last = reading.last();
    if (!last || last.seq <= said || last.seq > position) return ": still here\n\n";
    said = last.seq;
    return `: still here\n${cursorLine(last)}\n`;
  };

  try {
    while (!signal.aborted) {
      const { rows, reached } = await reading.after(accountId, position);
      const heard = rows.filter(isHeard);
      const made = await Promise.all(heard.map(({ seq }) => texts(seq, access)));
      for (const [index, row] of heard.entries()) {
        const text = made[index];
        if (text === undefined) continue;
        said = row.seq;
        yield eventText(row, text);
        beat = performance.now() + rules.beatMs;
        if (signal.aborted) return;
      }
      position = reached;
      if (performance.now() >= beat) yield sign();
      if (position >= (reading.horizon() ?? 0)) await rung.wait(Math.max(1, beat - performance.now()));
    }
  } finally {
    signal.removeEventListener("abort", wake);
    leave();
  }
}
