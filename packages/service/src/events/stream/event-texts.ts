import type { EventInStream } from "@parley/contract";
import { gather } from "@parley/database";
import { failureText, type Log } from "@parley/telemetry";
import type { Directory } from "../../messaging/directory/directory.ts";
import type { EventRow } from "../event-payload/store.ts";
import { productEventOf, outboundEventOf } from "../event-payload/event-payload.ts";
import type { OutboundRequestRow } from "../../messaging/outbound/requests.sql.ts";
import type { LogRow } from "../../base/log/store.ts";
import { cursorSignature, cursorText, type StreamAccess } from "./access.ts";

/** Reads an event of the log with the rows that it refers to. */
export type ReadEvent = (seq: number) => Promise<EventRow | undefined>;

interface TextDeps {
  readonly readEvent: ReadEvent;
  /** -> undefined for an unknown message */
  readonly outboundMessage: (id: string) => Promise<OutboundRequestRow | undefined>;
  readonly directory: Directory;
  /** Renews the signatures of upload URLs. */
  readonly resignUrls: (text: string, accountId: number) => string;
  readonly log: Log;
}

/**
 * How long a text is shared among streams that send the event at the same moment; short, so that removed data is not sent. @units
 * milliseconds
 */
const SHARED_TEXT_TTL_MS = 200;

/** One event in the format of SSE, with the position after it; its JSON contains no line ends. */
export const loggedFrame = ({ seq, id }: LogRow, event: string, json: string): string =>
  `id: ${cursorText({ seq, sign: cursorSignature(id) })}\nevent: ${event}\ndata: ${json}\n\n`;

/** The text of an event as it is sent; undefined for an event without text. */
export type EventFrame = Buffer | undefined;

interface SharedFrame {
  /** A promise while the text is being made. */
  frame: EventFrame | Promise<EventFrame>;
  readonly until: number;
}

/** @shape maxPending: events that may be read at the same time */
export const createReadEvent = (
  read: (positions: readonly number[]) => Promise<readonly (EventRow | undefined)[]>,
  maxPending: number,
): ReadEvent =>
  gather<number, EventRow | undefined>({
    name: "events to stream",
    maxBatch: 64,
    maxInFlight: 2,
    maxQueue: maxPending,
    run: read,
  });

/**
 * Makes the frames of events once for all streams that send the same text at the same moment.
 * -> the frame at once, if another stream sent it just now
 */
export const createSharedFrames = () => {
  const shared = new Map<string, SharedFrame>();
  /** @shape key: equal for equal texts */
  return (key: string, make: () => Promise<EventFrame>): EventFrame | Promise<EventFrame> => {
    const now = performance.now();
    for (const [old, { until }] of shared) {
      if (until > now) break;
      shared.delete(old);
    }
    const cached = shared.get(key);
    if (cached) return cached.frame;
    const made = make();
    const entry: SharedFrame = { frame: made, until: now + SHARED_TEXT_TTL_MS };
    shared.set(key, entry);
    void made.then(
      (frame) => (entry.frame = frame),
      () => undefined,
    );
    return made;
  };
};

/**
 * -> the frame; undefined for an event that can't be made, which is logged @errors those of the database
 */
export const frameUnlessInvalid = async (make: () => Promise<string | undefined>, log: Log): Promise<EventFrame> => {
  try {
    const text = await make();
    return text === undefined ? undefined : Buffer.from(text);
  } catch (error) {
    // Errors of the language come from the event's data: another attempt would fail the same way.
    if (!(error instanceof TypeError || error instanceof SyntaxError || error instanceof RangeError)) throw error;
    log(`an event can't be made: ${failureText(error)}`, { level: "error", part: "stream" });
    return undefined;
  }
};

/** Makes the texts of events as the API and the console get them. @errors those of reading the log */
export const createEventTexts = ({ readEvent, outboundMessage, directory, resignUrls, log }: TextDeps) => {
  const sharedFrame = createSharedFrames();

  const eventOf = async (row: EventRow): Promise<EventInStream | undefined> => {
    if (row.kind !== "outbound_message_update") return productEventOf(directory, row);
    const message = await outboundMessage(row.entity_id);
    return message && outboundEventOf(row, message);
  };

  const createFrame = async (logRow: LogRow, access: StreamAccess): Promise<EventFrame> => {
    const row = await readEvent(logRow.seq);
    if (!row) return undefined;
    return frameUnlessInvalid(async () => {
      const event = await eventOf(row);
      const trimmed = event && access.trimmed(event);
      if (trimmed === undefined) return undefined;
      return loggedFrame(logRow, logRow.kind, resignUrls(JSON.stringify(trimmed), row.account_id));
    }, log);
  };

  return (row: LogRow, access: StreamAccess): EventFrame | Promise<EventFrame> =>
    sharedFrame(`${row.seq} ${access.key}`, () => createFrame(row, access));
};
export type EventTexts = ReturnType<typeof createEventTexts>;
