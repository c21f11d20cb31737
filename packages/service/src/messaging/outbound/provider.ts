import type { MessageTemplate } from "@parley/contract";
import { egress, EgressFailure, signWebhook } from "@parley/egress";
import type { Ports } from "../../base/environment/ports.ts";
import { isLoopback, type OutboundConfig } from "./config.ts";
import type { OutboundFailure, StatusReport } from "./outbound-message.ts";
import type { RenderedTemplate } from "./rendering.ts";

/** A message as sent to a provider. `message_id` is also its idempotency key. */
export interface ProviderMessage {
  readonly message_id: string;
  readonly request_id: string;
  readonly provider: string;
  readonly from: { readonly phone_number: string };
  readonly to: { readonly phone_number: string };
  readonly data: { readonly message_template: MessageTemplate };
  /** The text that the recipient reads. */
  readonly rendered: RenderedTemplate;
}

/** A report to be applied after a delay. @units afterMs: milliseconds from the sending */
interface LaterReport {
  readonly report: StatusReport;
  readonly afterMs: number;
}

/** Result of one attempt. */
export type ProviderResult =
  | { readonly kind: "taken"; readonly provider_message_id: string; readonly reports: readonly LaterReport[] }
  | { readonly kind: "refused"; readonly failure: OutboundFailure }
  | RetryableResult
  /** No attempt was made. */
  | { readonly kind: "later"; readonly failure: OutboundFailure; readonly afterMs: number };

/** Another attempt may succeed. */
interface RetryableResult {
  readonly kind: "again";
  readonly failure: OutboundFailure;
  /** Earliest time of the next attempt, if the provider gives a time. @units milliseconds */
  readonly afterMs?: number | undefined;
  /** The provider timed out. */
  readonly isSilent?: boolean;
}

/** Connection to a messaging provider. */
export interface OutboundProvider {
  /** @errors the signal's reason, when the service is stopped meanwhile */
  send(message: ProviderMessage, signal: AbortSignal): Promise<ProviderResult>;
  close(): Promise<void>;
}

const SECOND_MS = 1_000;

/**
 * Delays before the second and later attempts.
 * @units milliseconds
 * @assumed Six attempts within 45 minutes: a later message is of little use to its recipient.
 */
const retryDelaysMs: readonly number[] = [5, 30, 120, 600, 1_800].map((seconds) => seconds * SECOND_MS);

/** Upper bound of a delay requested by a provider. @units milliseconds */
const RETRY_AFTER_MS_MAX = 24 * 3_600 * SECOND_MS;

/** -> delay after `attempts` failed attempts; undefined after the last attempt. @units milliseconds */
export const retryDelayMs = (attempts: number, retryAfterMs = 0): number | undefined => {
  const pause = retryDelaysMs[attempts - 1];
  return pause === undefined ? undefined : Math.max(pause, Math.min(retryAfterMs, RETRY_AFTER_MS_MAX));
};

/** @assumed A message that could not be sent for a day comes too late. @units milliseconds */
const RETRY_WINDOW_MS = 24 * 3_600 * SECOND_MS;

/** Whether an attempt at `due` is still useful. */
export const isWithinRetryTime = (created: Date, due: Date): boolean =>
  due.getTime() - created.getTime() <= RETRY_WINDOW_MS;

/** Parses Retry-After: seconds or a date. @units milliseconds */
export const providerRetryAfter = (header: string | undefined, now: Date): number | undefined => {
  const text = header?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND_MS;
  // `Date.parse` accepts many formats that HTTP does not allow.
  const time = /^[A-Z][a-z]{2,8}[, ]/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - now.getTime());
};

/** Per attempt. @units milliseconds */
const ATTEMPT_TIMEOUT_MS = 15_000;
/** Larger than any accepted request and its rendered form. @units bytes */
const REQUEST_BYTES_MAX = 4 * 1_048_576;
const RESPONSE_BYTES_MAX = 65_536;
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
 * @assumed A reply without provider_message_id means that our id is the only id. Redirects are failures.
 */
export const createHttpProvider = (
  { url, secret }: OutboundConfig,
  { now, timeoutMs = ATTEMPT_TIMEOUT_MS }: Pick<Ports, "now"> & { readonly timeoutMs?: number },
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
          maxRequestBytes: REQUEST_BYTES_MAX,
          maxResponseBytes: RESPONSE_BYTES_MAX,
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

/** Pause after a timeout. @units milliseconds */
const PAUSE_AFTER_TIMEOUT_MS = 60_000;

const PAUSED: OutboundFailure = { code: "PROVIDER_UNAVAILABLE", reason: "The provider gives no answer." };

/**
 * Pauses sending after the provider timed out. Otherwise each message would wait for a timeout and delay other
 * background jobs.
 */
export const withPauseAfterTimeout = (provider: OutboundProvider, { now }: Pick<Ports, "now">): OutboundProvider => {
  let pausedUntil = 0;
  return {
    async send(message, signal) {
      const left = pausedUntil - now().getTime();
      if (left > 0) return { kind: "later", failure: PAUSED, afterMs: left };
      const sending = await provider.send(message, signal);
      if (sending.kind === "again" && sending.isSilent) pausedUntil = now().getTime() + PAUSE_AFTER_TIMEOUT_MS;
      return sending;
    },
    close: () => provider.close(),
  };
};

const delivered = (afterMs: number): readonly LaterReport[] => [{ report: { status: "Delivered" }, afterMs }];

/**
 * Outcomes by recipient, for numbers reserved for fiction.
 * @assumed Messages to other numbers are delivered.
 */
export const SANDBOX_NUMBERS: Readonly<Record<string, readonly LaterReport[]>> = {
  "+12025550101": delivered(0),
  "+12025550102": [
    {
      report: {
        status: "Failed",
        failure: { code: "RECIPIENT_UNREACHABLE", reason: "The recipient does not use the chat app." },
      },
      afterMs: 0,
    },
  ],
  "+12025550103": delivered(30 * SECOND_MS),
  "+12025550104": [],
};

/** Simulates a provider without network access. */
export const createSandboxProvider = (): OutboundProvider => ({
  async send({ message_id, to }) {
    const reports = SANDBOX_NUMBERS[to.phone_number] ?? delivered(0);
    return { kind: "taken", provider_message_id: `sandbox-${message_id}`, reports };
  },
  close: async () => undefined,
});
