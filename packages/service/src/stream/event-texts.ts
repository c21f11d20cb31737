import type { EventInStream } from "@parley/contract";
import { gather } from "@parley/database";
import { failureText, type Log } from "@parley/telemetry";
import type { Directory } from "../directory/directory.ts";
import type { EventRow } from "../event-payload/store.ts";
import { productEventOf, outboundEventOf } from "../event-payload/event-payload.ts";
import type { ListedRow } from "../outbound/requests.sql.ts";
import type { StreamAccess } from "./access.ts";

interface TextDeps {
  readonly read: (positions: readonly number[]) => Promise<readonly (EventRow | undefined)[]>;
  /** -> undefined for an unknown message */
  readonly outboundMessage: (id: string) => Promise<ListedRow | undefined>;
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

/**
 * Makes the text of events, once for all streams that send the same text at the same moment.
 * @errors the returned function throws what reading the log failed with; -> undefined for an event without text
 */
export const createEventTexts = ({ read, outboundMessage, directory, resignUrls, maxPending, log }: TextDeps) => {
  const rowOf = gather<number, EventRow | undefined>({
    name: "events to stream",
    maxBatch: 64,
    maxInFlight: 2,
    maxQueue: maxPending,
    run: read,
  });
  const shared = new Map<string, { readonly text: Promise<string | undefined>; readonly until: number }>();

  const eventOf = async (row: EventRow): Promise<EventInStream | undefined> => {
    if (row.kind !== "outbound_message_update") return productEventOf(directory, row);
    const message = await outboundMessage(row.entity_id);
    return message && outboundEventOf(row, message);
  };

  const createText = async (seq: number, access: StreamAccess): Promise<string | undefined> => {
    const row = await rowOf(seq);
    if (!row) return undefined;
    try {
      const event = await eventOf(row);
      const trimmed = event && access.trimmed(event);
      return trimmed === undefined ? undefined : resignUrls(JSON.stringify(trimmed), row.account_id);
    } catch (error) {
      // Errors of the language come from the event's data: another attempt would fail the same way.
      if (!(error instanceof TypeError || error instanceof SyntaxError || error instanceof RangeError)) throw error;
      log(`an event can't be made: ${failureText(error)}`, { level: "error", part: "stream" });
      return undefined;
    }
  };

  return (seq: number, access: StreamAccess): Promise<string | undefined> => {
    const now = performance.now();
    for (const [old, { until }] of shared) {
      if (until > now) break;
      shared.delete(old);
    }
    const key = `${seq} ${access.key}`;
    const cached = shared.get(key);
    if (cached) return cached.text;
    const text = createText(seq, access);
    shared.set(key, { text, until: now + SHARED_TEXT_TTL_MS });
    return text;
  };
};
export type EventTexts = ReturnType<typeof createEventTexts>;
