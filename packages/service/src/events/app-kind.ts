import { PRODUCT_EVENTS } from "@parley/contract";
import { EgressFailure, signWebhook, type Egress } from "@parley/egress";
import type { Directory } from "../accounts/directory.ts";
import type { Ports } from "../ports.ts";
import type { Attempt } from "./attempt.ts";
import type { EventRow } from "./db/payload.ts";
import type { SubscriberKind } from "./kinds.ts";
import { eventOf } from "./payload.ts";

/** Answers that another try would not change. */
const FINAL_STATUSES = new Set([400, 401, 404, 410]);

const UNREACHED = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** A conversation_create carries all of its first messages. @units bytes */
const LARGEST_EVENT = 8 * 1_048_576;
const LARGEST_ANSWER = 65_536;

const memberOf = (error: unknown, name: "code" | "cause" | "errors"): unknown =>
  typeof error === "object" && error !== null ? (Reflect.get(error, name) as unknown) : undefined;

/** -> the system's word for why no connection came about, looked for through causes and lists of errors */
const unreachedCode = (error: unknown): string | undefined => {
  const code = memberOf(error, "code");
  if (typeof code === "string" && UNREACHED.has(code)) return code;
  const inner = [memberOf(error, "cause"), memberOf(error, "errors")].flat().filter((each) => each !== undefined);
  return inner.map(unreachedCode).find((found) => found !== undefined);
};

/** A clock that goes so far in one try, or back, was set meanwhile. @units milliseconds */
const LEAP = 60_000;

const failureOf = (error: unknown): Attempt => {
  const code = unreachedCode(error);
  if (code) return { kind: "unreachable", reason: `the host can't be reached (${code})` };
  if (error instanceof EgressFailure) return { kind: "failed", reason: error.message, isFinal: error.code < 500 };
  return { kind: "failed", reason: "the request could not be made", isFinal: false };
};

export interface AppKindDeps {
  /** Taken over: it is closed with the kind. */
  readonly egress: Egress;
  readonly directory: Directory;
  readonly ports: Pick<Ports, "now">;
  /** Makes the addresses of uploads in an event work again. */
  readonly fresh: (text: string, accountId: number) => string;
}

/** App hosts: they hear all that apps have a word for, each event as one request signed by the standard. */
export const appKind = ({ egress, directory, ports: { now }, fresh }: AppKindDeps): SubscriberKind => {
  /** Subscribers that are told of one event at the same time share its text. */
  const texts = new WeakMap<EventRow, Promise<string>>();
  const textOf = (row: EventRow): Promise<string> => {
    const known = texts.get(row);
    if (known) return known;
    const text = eventOf(directory, row).then((event) => fresh(JSON.stringify(event), row.account_id));
    texts.set(row, text);
    return text;
  };

  return {
    hears: (_, eventKind) => Object.hasOwn(PRODUCT_EVENTS, eventKind),
    payload: async (_, row) => [{ id: row.event_id, body: await textOf(row) }],
    async post({ url, secret }, { id, body }, { timeoutMs }) {
      const sent = now().getTime();
      const timestampSeconds = Math.floor(sent / 1_000);
      try {
        const { status } = await egress.send({
          method: "POST",
          url,
          headers: { "content-type": "application/json", ...signWebhook({ id, timestampSeconds, body, secret }) },
          body,
          timeoutMs,
          maxRequestBytes: LARGEST_EVENT,
          maxResponseBytes: LARGEST_ANSWER,
        });
        if (status >= 200 && status < 300) return { kind: "accepted", status };
        // Of a signature that became too old in this moment the next try has a fresh one.
        const isSet = Math.abs(now().getTime() - sent) > LEAP;
        return {
          kind: "failed",
          reason: `answered ${status}`,
          status,
          isFinal: FINAL_STATUSES.has(status) && !isSet,
        };
      } catch (error) {
        return failureOf(error);
      }
    },
    close: () => egress.close(),
  };
};
