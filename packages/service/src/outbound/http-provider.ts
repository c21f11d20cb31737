import { egress, EgressFailure, signWebhook } from "@parley/egress";
import type { Ports } from "../environment/ports.ts";
import { isLoopback, type OutboundConfig } from "./config.ts";
import { type OutboundProvider, type ProviderResult, providerRetryAfter } from "./provider.ts";

/** Per attempt. @units milliseconds */
const attemptTimeoutMs = 15_000;
/** Larger than any accepted request and its rendered form. @units bytes */
const MAX_REQUEST_BYTES = 4 * 1_048_576;
const MAX_RESPONSE_BYTES = 65_536;
/** Maximum length of a provider's message id. @units characters */
const PROVIDER_ID_LENGTH_MAX = 255;

/** Statuses unrelated to the message; another attempt may succeed. */
const isTransient = (status: number): boolean => status === 408 || status === 425 || status === 429 || status >= 500;

const idIn = (body: string): string | undefined => {
  try {
    const { provider_message_id: id } = JSON.parse(body) as { provider_message_id?: unknown };
    return typeof id === "string" && id !== "" && id.length <= PROVIDER_ID_LENGTH_MAX && !id.includes("\0")
      ? id
      : undefined;
  } catch {
    return undefined;
  }
};

const statusReason = (status: number) => `The provider answered ${status}.`;

const failed = (error: unknown): ProviderResult => {
  // The egress guard has refused the address; another attempt would be refused too.
  if (error instanceof EgressFailure && error.code < 500)
    return { kind: "refused", failure: { code: "PROVIDER_ADDRESS_REFUSED", reason: error.message } };
  const reason = error instanceof EgressFailure ? error.message : "The request could not be made.";
  const isSilent = error instanceof EgressFailure && error.reason === "TIMEOUT";
  return { kind: "again", failure: { code: "PROVIDER_UNAVAILABLE", reason }, isSilent };
};

/**
 * Sends messages to the configured URL: POST, JSON, signed with the Standard Webhooks headers. Repeated attempts carry
 * the same Idempotency-Key.
 * @assumed A reply without provider_message_id means that our id is the only one. Redirects are failures.
 */
export const createHttpProvider = (
  { url, secret }: OutboundConfig,
  { now, timeoutMs = attemptTimeoutMs }: Pick<Ports, "now"> & { readonly timeoutMs?: number },
): OutboundProvider => {
  const { hostname, origin } = new URL(url);
  // A configured loopback URL permits exactly its origin on this machine.
  const hosts = new Map(isLoopback(new URL(url)) ? [[hostname, { origin }]] : []);
  const client = egress({ hosts });
  return {
    async send(message, signal) {
      const body = JSON.stringify(message);
      const { message_id: id } = message;
      const timestampSeconds = Math.floor(now().getTime() / 1_000);
      try {
        const reply = await client.send({
          method: "POST",
          url,
          headers: {
            "content-type": "application/json",
            "idempotency-key": id,
            ...signWebhook({ id, timestampSeconds, body, secret }),
          },
          body,
          timeoutMs,
          maxRequestBytes: MAX_REQUEST_BYTES,
          maxResponseBytes: MAX_RESPONSE_BYTES,
          signal,
        });
        const { status, headers } = reply;
        if (status >= 200 && status < 300)
          return { kind: "taken", provider_message_id: idIn(reply.body) ?? id, reports: [] };
        if (!isTransient(status))
          return { kind: "refused", failure: { code: "PROVIDER_REFUSED", reason: statusReason(status) } };
        return {
          kind: "again",
          failure: { code: "PROVIDER_UNAVAILABLE", reason: statusReason(status) },
          afterMs: providerRetryAfter(headers["retry-after"], now()),
        };
      } catch (error) {
        signal.throwIfAborted();
        return failed(error);
      }
    },
    close: () => client.close(),
  };
};
