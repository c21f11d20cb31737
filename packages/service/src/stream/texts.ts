import type { EventInStream } from "@parley/contract";
import { gather } from "@parley/database";
import type { Directory } from "../accounts/directory.ts";
import type { EventRow } from "../events/db/payload.ts";
import { lineOf } from "../events/loop.ts";
import { eventOf, outboundEventOf } from "../events/payload.ts";
import type { ListedRow } from "../outbound/db/requests.ts";
import type { Access } from "./access.ts";

export interface TextDeps {
  readonly read: (positions: readonly number[]) => Promise<readonly (EventRow | undefined)[]>;
  /** -> undefined where there is none */
  readonly outboundMessage: (id: string) => Promise<ListedRow | undefined>;
  readonly directory: Directory;
  /** Makes the addresses of uploads work again. */
  readonly fresh: (text: string, accountId: number) => string;
  /** Texts that are asked for at a time, at most. */
  readonly most: number;
  readonly log: (line: string) => void;
}

/** How long a text serves other streams: those that hear of the event at the same moment. What is deleted later is not told. @units milliseconds */
const SHARED = 200;

/**
 * Makes the text of events, once for all streams that hear the same at the same moment.
 * @errors the returned function throws what reading the log failed with; -> undefined for an event that can't be told
 */
export const texts = ({ read, outboundMessage, directory, fresh, most, log }: TextDeps) => {
  const rowOf = gather<number, EventRow | undefined>({ maxBatch: 64, maxInFlight: 2, maxQueue: most, run: read });
  const shared = new Map<string, { readonly text: Promise<string | undefined>; readonly until: number }>();

  const said = async (row: EventRow): Promise<EventInStream | undefined> => {
    if (row.kind !== "outbound_message_update") return eventOf(directory, row);
    const message = await outboundMessage(row.entity_id);
    return message && outboundEventOf(row, message);
  };

  const made = async (seq: number, access: Access): Promise<string | undefined> => {
    const row = await rowOf(seq);
    if (!row) return undefined;
    try {
      const event = await said(row);
      return event && fresh(JSON.stringify(access.trimmed(event)), row.account_id);
    } catch (error) {
      // An error of the language comes from what the event is made of: it would be the same at each try.
      if (!(error instanceof TypeError || error instanceof SyntaxError || error instanceof RangeError)) throw error;
      log(`stream: an event can't be made: ${lineOf(error)}`);
      return undefined;
    }
  };

  return (seq: number, access: Access): Promise<string | undefined> => {
    const now = performance.now();
    for (const [old, { until }] of shared) {
      if (until > now) break;
      shared.delete(old);
    }
    const key = `${seq} ${access.key}`;
    const known = shared.get(key);
    if (known) return known.text;
    const text = made(seq, access);
    shared.set(key, { text, until: now + SHARED });
    return text;
  };
};
export type Texts = ReturnType<typeof texts>;
