import { isUnavailable } from "@parley/database";
import { EgressFailure, signWebhook, type Egress } from "@parley/egress";
import type { Attempt } from "../events/attempt.ts";
import type { Subscription } from "../events/db/subscriptions.ts";
import type { Outgoing, SubscriberKind } from "../events/kinds.ts";
import type { Ports } from "../ports.ts";
import type { Signer } from "./keys.ts";
import { retryAfterMs } from "./retry-after.ts";

/** @assumed The version of the payload's shape. */
const PAYLOAD_VERSION = "1.0";
/** @units bytes */
const LARGEST = { event: 8 * 1_048_576, answer: 1_048_576 };

export interface PostingDeps {
  readonly egress: Egress;
  readonly now: Ports["now"];
  /** -> undefined for an account without keys */
  readonly signer: (accountId: number) => Promise<Signer | undefined>;
  /** Opens the secrets of a webhook that sign at a time. */
  readonly secretsOf: (
    subscription: Subscription,
    now: Date,
  ) => Promise<{ readonly secret: string; readonly oldSecrets: readonly string[] }>;
}

const failed = (reason: string, isFinal = false): Attempt => ({ kind: "failed", reason, isFinal });

const failureOf = (error: unknown): Attempt => {
  if (error instanceof EgressFailure) return failed(error.message, error.reason === "REQUEST_TOO_LARGE");
  return failed("the request could not be made");
};

/**
 * What an answer means.
 * @assumed 2xx only is accepted; after anything else the delivery is tried again, not before a Retry-After is over, except after 410,
 * which turns the webhook off. A redirect is a failure: it is not followed.
 */
const judged = (status: number, retryAfter: string | undefined, now: Date): Attempt => {
  if (status >= 200 && status < 300) return { kind: "accepted", status };
  const waits = retryAfterMs(retryAfter, now);
  return {
    kind: "failed",
    reason: `answered ${status}`,
    status,
    isFinal: status === 410,
    ...(status === 410 && { isOff: true }),
    ...(waits !== undefined && { retryAfterMs: waits }),
  };
};

/** Sends one delivery once, with both signatures over the bytes as they are sent. */
export const posting = ({ egress, now, signer, secretsOf }: PostingDeps): SubscriberKind["post"] => {
  /** Webhooks that are told the same at the same time share the signature, which costs more than all the rest. */
  const signatures = new WeakMap<Outgoing, { readonly keyId: string; readonly text: Promise<string> }>();
  const signatureOf = (outgoing: Outgoing, { keyId, sign }: Signer): Promise<string> => {
    const known = signatures.get(outgoing);
    if (known?.keyId === keyId) return known.text;
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
      // Nothing was sent, and nobody's key is wrong.
      if (isUnavailable(error))
        return { kind: "unreachable", reason: "the key that signs can't be read: the database is away" };
      return failed("it can't be signed: the key of what is kept secret is another one");
    }
    try {
      const timestampSeconds = Math.floor(time.getTime() / 1_000);
      const { status, headers } = await egress.send({
        method: "POST",
        url: subscription.url,
        headers: {
          "content-type": "application/json",
          "user-agent": "Parley-Webhooks",
          "x-retry-count": String(retryCount),
          "x-freshchat-payload-version": PAYLOAD_VERSION,
          ...(signature !== undefined && { "x-freshchat-signature": signature }),
          ...signWebhook({ id, timestampSeconds, body, ...signing }),
        },
        body,
        timeoutMs,
        maxRequestBytes: LARGEST.event,
        maxResponseBytes: LARGEST.answer,
      });
      return judged(status, headers["retry-after"], now());
    } catch (error) {
      return failureOf(error);
    }
  };
};
