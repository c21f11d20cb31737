import type { EventInStream } from "@parley/contract";
import { gather } from "@parley/database";
import { failureText, type Log } from "@parley/telemetry";
import type { Directory } from "../../messaging/directory/directory.ts";
import type { EventRow } from "../event-payload/store.ts";
import { productEventOf, outboundEventOf } from "../event-payload/event-payload.ts";
import type { OutboundRequestRow } from "../../messaging/outbound/requests.sql.ts";
import type { LogRow } from "../../base/log/store.ts";
import { cursorSignature, cursorText, type StreamAccess } from "./access.ts";

interface TextDeps {
  readonly read: (positions: readonly number[]) => Promise<readonly (EventRow | undefined)[]>;
  /** -> undefined for an unknown message */
  readonly outboundMessage: (id: string) => Promise<OutboundRequestRow | undefined>;
  readonly directory: Directory;
  /** Renews the signatures of upload URLs. */
  readonly resignUrls: (text: string, accountId: number) => string;
  /** Texts that may be made at the same time. */
  readonly maxPending: number;
  readonly log: Log;
}

/**
 * How long a text is shared among streams that send the event at the same moment; short, so that removed data is not sent. @units
 * milliseconds
 */
const SHARED_TEXT_TTL_MS = 200;

/** One event in the format of SSE; its JSON contains no line ends. */
const frameOf = ({ seq, id, kind }: LogRow, text: string): Buffer =>
  Buffer.from(`id: ${cursorText({ seq, sign: cursorSignature(id) })}\nevent: ${kind}\ndata: ${text}\n\n`);

/** The text of an event as it is sent; undefined for an event without text. */
export type EventFrame = Buffer | undefined;

interface SharedFrame {
  /** A promise while the text is being made. */
  frame: EventFrame | Promise<EventFrame>;
  readonly until: number;
}

/**
 * Makes the texts of events, once for all streams that send the same text at the same moment.
 * @errors the returned function throws what reading the log failed with; -> the text at once, if another stream sent it just now
 */
export const createEventTexts = ({ read, outboundMessage, directory, resignUrls, maxPending, log }: TextDeps) => {
  const rowOf = gather<number, EventRow | undefined>({
    name: "events to stream",
    maxBatch: 64,
    maxInFlight: 2,
    maxQueue: maxPending,
    run: read,
  });
  const shared = new Map<string, SharedFrame>();

  const eventOf = async (row: EventRow): Promise<EventInStream | undefined> => {
    if (row.kind !== "outbound_message_update") return productEventOf(directory, row);
    const message = await outboundMessage(row.entity_id);
    return message && outboundEventOf(row, message);
  };

  const createFrame = async (logRow: LogRow, access: StreamAccess): Promise<EventFrame> => {
    const row = await rowOf(logRow.seq);
    if (!row) return undefined;
    try {
      const event = await eventOf(row);
      const trimmed = event && access.trimmed(event);
      if (trimmed === undefined) return undefined;
      return frameOf(logRow, resignUrls(JSON.stringify(trimmed), row.account_id));
    } catch (error) {
      // Errors of the language come from the event's data: another attempt would fail the same way.
      if (!(error instanceof TypeError || error instanceof SyntaxError || error instanceof RangeError)) throw error;
      log(`an event can't be made: ${failureText(error)}`, { level: "error", part: "stream" });
      return undefined;
    }
  };

  return (row: LogRow, access: StreamAccess): EventFrame | Promise<EventFrame> => {
    const now = performance.now();
    for (const [old, { until }] of shared) {
      if (until > now) break;
      shared.delete(old);
    }
    const key = `${row.seq} ${access.key}`;
    const cached = shared.get(key);
    if (cached) return cached.frame;
    const made = createFrame(row, access);
    const entry: SharedFrame = { frame: made, until: now + SHARED_TEXT_TTL_MS };
    shared.set(key, entry);
    void made.then(
      (frame) => (entry.frame = frame),
      () => undefined,
    );
    return made;
  };
};
export type EventTexts = ReturnType<typeof createEventTexts>;
