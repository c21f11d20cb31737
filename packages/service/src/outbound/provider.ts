import type { MessageTemplate } from "@parley/contract";
import type { Rendered } from "./rendering.ts";
import type { Failure, Report } from "./transitions.ts";

/** One message as a provider gets it. `message_id` is also the key by which it knows a message that it got before. */
export interface ProviderMessage {
  readonly message_id: string;
  readonly request_id: string;
  readonly provider: string;
  readonly from: { readonly phone_number: string };
  readonly to: { readonly phone_number: string };
  readonly data: { readonly message_template: MessageTemplate };
  /** What the recipient is to read. */
  readonly rendered: Rendered;
}

/** What a provider says, or is to say later. @units afterMs: milliseconds from the sending */
export interface LaterReport {
  readonly report: Report;
  readonly afterMs: number;
}

/** What came of one try. */
export type Sending =
  | { readonly kind: "taken"; readonly provider_message_id: string; readonly reports: readonly LaterReport[] }
  | { readonly kind: "refused"; readonly failure: Failure }
  | Again
  /** It was not tried at all. */
  | { readonly kind: "later"; readonly failure: Failure; readonly afterMs: number };

/** Another try may do better. */
export interface Again {
  readonly kind: "again";
  readonly failure: Failure;
  /** Not before that, where the provider says so. @units milliseconds */
  readonly afterMs?: number | undefined;
  /** The provider let the time pass without an answer. */
  readonly isSilent?: boolean;
}

/** The way to a chat app's users. */
export interface Provider {
  /** @errors the signal's own reason, when the service ends meanwhile */
  send(message: ProviderMessage, signal: AbortSignal): Promise<Sending>;
  close(): Promise<void>;
}
