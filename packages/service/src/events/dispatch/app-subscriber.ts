import { memberOf, PRODUCT_EVENTS, urlOf } from "@parley/contract";
import { EgressFailure, egress as openEgress, signWebhook, type Egress } from "@parley/egress";
import { traceHeaders } from "@parley/telemetry";
import type { Directory } from "../../messaging/directory/directory.ts";
import type { Ports } from "../../base/environment/ports.ts";
import type { RequestOutcome, SubscriberKind } from "./subscriber-kind.ts";
import type { EventRow } from "../event-payload/store.ts";
import { productEventOf } from "../event-payload/event-payload.ts";

/** Service Unavailable: another process takes over the installation, or it is about to be paused. */
const UNAVAILABLE = 503;
/** Statuses after which another attempt cannot succeed. */
const FINAL_STATUSES = new Set([400, 401, 404, 410]);

const CONNECTION_ERRORS = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Limit of an event: a conversation_create carries all of its first messages. @units bytes */
const EVENT_BYTES_MAX = 8 * 1_048_576;
const REPLY_BYTES_MAX = 65_536;

/** -> the system's error code for a connection that failed, searched in causes and lists of errors */
const unreachedCode = (error: unknown): string | undefined => {
  const code = memberOf(error, "code");
  if (typeof code === "string" && CONNECTION_ERRORS.has(code)) return code;
  const inner = [memberOf(error, "cause"), memberOf(error, "errors")].flat().filter((each) => each !== undefined);
  return inner.map(unreachedCode).find((found) => found !== undefined);
};

/** A clock that moves this far during one attempt was set. @units milliseconds */
const CLOCK_JUMP_MS = 60_000;

const failureOf = (error: unknown): RequestOutcome => {
  const code = unreachedCode(error);
  if (code) return { kind: "unreachable", reason: `the host can't be reached (${code})` };
  if (error instanceof EgressFailure) return { kind: "failed", reason: error.message, isFinal: error.code < 500 };
  return { kind: "failed", reason: "the request could not be made", isFinal: false };
};

/**
 * The guard of deliveries to apps: to this machine, to public https addresses, and to the platform wherever the operator runs it.
 * @shape platformUrl: its origin; absent: on this machine
 */
export const openAppEgress = (platformUrl: string | undefined): Egress => {
  const others = openEgress({ allowLoopback: true });
  if (platformUrl === undefined) return others;
  const { hostname, origin } = new URL(platformUrl);
  // Overrides are by host name: another port of the same host is not the platform.
  const platform = openEgress({ hosts: new Map([[hostname, { origin }]]) });
  const egressFor = (url: string) => (urlOf(url)?.origin === origin ? platform : others);
  return {
    check: (url) => egressFor(url).check(url),
    vet: (url) => egressFor(url).vet(url),
    send: (request) => egressFor(request.url).send(request),
    close: async () => void (await Promise.all([platform.close(), others.close()])),
  };
};

interface AppSubscriberDeps {
  /** Closed with the subscriber kind. */
  readonly egress: Egress;
  readonly directory: Directory;
  readonly ports: Pick<Ports, "now">;
  /** Renews the signatures of the upload URLs in an event. */
  readonly resignUrls: (text: string, accountId: number) => string;
}

/** App hosts: they receive each event that apps can handle, as one request signed by the webhook standard. */
export const createAppSubscriber = ({
  egress,
  directory,
  ports: { now },
  resignUrls,
}: AppSubscriberDeps): SubscriberKind => {
  /** Subscribers that receive one event at the same time share its text. */
  const texts = new WeakMap<EventRow, Promise<string>>();
  const textOf = (row: EventRow): Promise<string> => {
    const cached = texts.get(row);
    if (cached) return cached;
    const text = productEventOf(directory, row).then((event) => resignUrls(JSON.stringify(event), row.account_id));
    texts.set(row, text);
    return text;
  };

  return {
    wants: ({ actions }, eventKind) =>
      Object.hasOwn(PRODUCT_EVENTS, eventKind) && (actions === null || actions.includes(eventKind)),
    requestsFor: async (_, row) => [{ id: row.event_id, body: await textOf(row) }],
    async send({ url, secret }, { id, body }, { timeoutMs }) {
      const sent = now().getTime();
      const timestampSeconds = Math.floor(sent / 1_000);
      try {
        const { status } = await egress.send({
          method: "POST",
          url,
          headers: {
            "content-type": "application/json",
            ...signWebhook({ id, timestampSeconds, body, secret }),
            ...traceHeaders(),
          },
          body,
          timeoutMs,
          maxRequestBytes: EVENT_BYTES_MAX,
          maxResponseBytes: REPLY_BYTES_MAX,
        });
        if (status >= 200 && status < 300) return { kind: "accepted", status };
        // The platform answers so while it can't run the installation: this says nothing about the event.
        if (status === UNAVAILABLE)
          return { kind: "unreachable", reason: "the platform can't run it at present (503)" };
        // When the clock was set, the signature was too old by mistake: the next attempt has a new signature.
        const isSet = Math.abs(now().getTime() - sent) > CLOCK_JUMP_MS;
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
