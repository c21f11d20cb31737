import { isUnavailable } from "@parley/database";
import { EgressFailure, signWebhook, type Egress, type OutgoingReply } from "@parley/egress";
import type { OutgoingRequest, RecordedExchange, RequestOutcome, SubscriberKind } from "../dispatch/subscriber-kind.ts";
import type { Subscription } from "../dispatch/subscriptions.sql.ts";
import type { Ports } from "../../base/environment/ports.ts";
import { recordedExchange } from "./exchange.ts";
import type { WebhookSigner } from "./signing-keys.ts";

/** Longest delay that a Retry-After header can ask for. @units milliseconds */
const RETRY_AFTER_MS_MAX = 24 * 60 * 60 * 1_000;

/** Reads a Retry-After header, seconds or a date. -> undefined for an absent or invalid header @units milliseconds */
export const retryAfterHeaderMs = (header: string | undefined, now: Date): number | undefined => {
  const text = header?.trim() ?? "";
  const ms = /^\d{1,9}$/.test(text)
    ? Number(text) * 1_000
    : /[a-z]/i.test(text)
      ? Date.parse(text) - now.getTime()
      : NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), RETRY_AFTER_MS_MAX);
};

/** @assumed The version of the payload's shape. */
const PAYLOAD_VERSION = "1.0";
/** Limits of a request and a reply. @units bytes */
const BYTES_MAX = { event: 8 * 1_048_576, answer: 1_048_576 };

interface PostingDeps {
  readonly egress: Egress;
  readonly now: Ports["now"];
  /** -> undefined for an account without keys */
  readonly signer: (accountId: number) => Promise<WebhookSigner | undefined>;
  /** Opens the secrets of a webhook that sign at a time. */
  readonly secretsOf: (
    subscription: Subscription,
    now: Date,
  ) => Promise<{ readonly secret: string; readonly oldSecrets: readonly string[] }>;
}

const failed = (reason: string, isFinal = false) => ({ kind: "failed", reason, isFinal }) as const;

const failureOf = (error: unknown) => {
  if (error instanceof EgressFailure) return failed(error.message, error.reason === "REQUEST_TOO_LARGE");
  return failed("the request could not be made");
};

/**
 * Outcome of a reply.
 * @assumed Only 2xx is accepted. After any other status the delivery is attempted again, not before the time of Retry-After; 410 turns
 * the webhook off. Redirects are failures: they are not followed.
 */
const outcomeOf = (
  { status, headers }: Pick<OutgoingReply, "status" | "headers">,
  exchange: RecordedExchange,
  now: Date,
): RequestOutcome => {
  if (status >= 200 && status < 300) return { kind: "accepted", status, exchange };
  const waits = retryAfterHeaderMs(headers["retry-after"], now);
  return {
    kind: "failed",
    exchange,
    reason: `answered ${status}`,
    status,
    isFinal: status === 410,
    ...(status === 410 && { isOff: true }),
    ...(waits !== undefined && { retryAfterMs: waits }),
  };
};

/** Sends one delivery once, with both signatures over the bytes that are sent. */
export const createPostWebhook = ({ egress, now, signer, secretsOf }: PostingDeps): SubscriberKind["send"] => {
  /** Webhooks that receive the same text at the same time share the signature, which costs more than all other work. */
  const signatures = new WeakMap<OutgoingRequest, { readonly keyId: string; readonly text: Promise<string> }>();
  const signatureOf = (outgoing: OutgoingRequest, { keyId, sign }: WebhookSigner): Promise<string> => {
    const cached = signatures.get(outgoing);
    if (cached?.keyId === keyId) return cached.text;
    const text = sign(outgoing.body);
    signatures.set(outgoing, { keyId, text });
    text.catch(() => signatures.delete(outgoing));
    return text;
  };

  return async (subscription, outgoing, { retryCount, timeoutMs }) => {
    const { id, body } = outgoing;
    const time = now();
    let signing: Awaited<ReturnType<PostingDeps["secretsOf"]>>;
    let signature: string | undefined;
    try {
      signing = await secretsOf(subscription, time);
      const key = await signer(subscription.account_id);
      signature = key && (await signatureOf(outgoing, key));
    } catch (error) {
      // Nothing was sent, and no key is at fault.
      if (isUnavailable(error))
        return { kind: "unreachable", reason: "the key that signs can't be read: the database is away" };
      return failed("it can't be signed: the key of stored secrets is another key");
    }
    const timestampSeconds = Math.floor(time.getTime() / 1_000);
    const headers = {
      "content-type": "application/json",
      "user-agent": "Parley-Webhooks",
      "x-retry-count": String(retryCount),
      "x-freshchat-payload-version": PAYLOAD_VERSION,
      ...(signature !== undefined && { "x-freshchat-signature": signature }),
      ...signWebhook({ id, timestampSeconds, body, ...signing }),
    };
    const { url } = subscription;
    const began = performance.now();
    const exchangeWith = (reply?: OutgoingReply) =>
      recordedExchange({
        time,
        milliseconds: Math.round(performance.now() - began),
        request: { id, url, headers },
        ...(reply && { reply }),
      });
    try {
      const reply = await egress.send({
        method: "POST",
        url,
        headers,
        body,
        timeoutMs,
        maxRequestBytes: BYTES_MAX.event,
        maxResponseBytes: BYTES_MAX.answer,
      });
      return outcomeOf(reply, exchangeWith(reply), now());
    } catch (error) {
      return { ...failureOf(error), exchange: exchangeWith() };
    }
  };
};
