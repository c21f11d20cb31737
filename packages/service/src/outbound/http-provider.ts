import { egress, EgressFailure, signWebhook } from "@parley/egress";
import type { Ports } from "../ports.ts";
import { isLoopback, type OutboundConfig } from "./config.ts";
import type { Provider, Sending } from "./provider.ts";
import { retryAfterOf } from "./retry.ts";

/** One try. @units milliseconds */
const TIMEOUT = 15_000;
/** More than a request to this service and what is made of it. */
const LARGEST_REQUEST = 4 * 1_048_576;
const LARGEST_ANSWER = 65_536;
/** Characters of what a provider says of itself. */
const LONGEST_ID = 255;

/** Answers that say nothing of the message: another try may do better. */
const isPassing = (status: number): boolean => status === 408 || status === 425 || status === 429 || status >= 500;

const idIn = (body: string): string | undefined => {
  try {
    const { provider_message_id: id } = JSON.parse(body) as { provider_message_id?: unknown };
    return typeof id === "string" && id !== "" && id.length <= LONGEST_ID && !id.includes("\0") ? id : undefined;
  } catch {
    return undefined;
  }
};

const answered = (status: number) => `The provider answered ${status}.`;

const failed = (error: unknown): Sending => {
  // What the guard refuses is an address that this service may not send to: it stays so.
  if (error instanceof EgressFailure && error.code < 500)
    return { kind: "refused", failure: { code: "PROVIDER_ADDRESS_REFUSED", reason: error.message } };
  const reason = error instanceof EgressFailure ? error.message : "The request could not be made.";
  const isSilent = error instanceof EgressFailure && error.reason === "TIMEOUT";
  return { kind: "again", failure: { code: "PROVIDER_UNAVAILABLE", reason }, isSilent };
};

/**
 * Sends to an address that the owner of the installation names: POST, JSON, signed with the Standard Webhooks headers. A message that is
 * sent a second time has the same Idempotency-Key.
 * @assumed An answer without a provider_message_id leaves ours as the only name; redirects are failures.
 */
export const httpProvider = (
  { url, secret }: OutboundConfig,
  { now, timeoutMs = TIMEOUT }: Pick<Ports, "now"> & { readonly timeoutMs?: number },
): Provider => {
  const { hostname, origin } = new URL(url);
  // The owner's own word is what lets a message go to this machine, and to nothing else on it.
  const hosts = new Map(isLoopback(new URL(url)) ? [[hostname, { origin }]] : []);
  const door = egress({ hosts });
  return {
    async send(message, signal) {
      const body = JSON.stringify(message);
      const { message_id: id } = message;
      const timestampSeconds = Math.floor(now().getTime() / 1_000);
      try {
        const reply = await door.send({
          method: "POST",
          url,
          headers: {
            "content-type": "application/json",
            "idempotency-key": id,
            ...signWebhook({ id, timestampSeconds, body, secret }),
          },
          body,
          timeoutMs,
          maxRequestBytes: LARGEST_REQUEST,
          maxResponseBytes: LARGEST_ANSWER,
          signal,
        });
        const { status, headers } = reply;
        if (status >= 200 && status < 300)
          return { kind: "taken", provider_message_id: idIn(reply.body) ?? id, reports: [] };
        if (!isPassing(status))
          return { kind: "refused", failure: { code: "PROVIDER_REFUSED", reason: answered(status) } };
        return {
          kind: "again",
          failure: { code: "PROVIDER_UNAVAILABLE", reason: answered(status) },
          afterMs: retryAfterOf(headers["retry-after"], now()),
        };
      } catch (error) {
        signal.throwIfAborted();
        return failed(error);
      }
    },
    close: () => door.close(),
  };
};
