import type { MessageTemplate } from "@parley/contract";
import type { RenderedTemplate } from "./rendering.ts";
import type { OutboundFailure, StatusReport } from "./delivery-status.ts";

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
export interface LaterReport {
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
  /** Earliest time of the next attempt, if the provider gives one. @units milliseconds */
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
