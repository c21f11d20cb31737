import type { OutboundStatus } from "@parley/contract";

/**
 * States from which each status can be reached. Transitions only go forward; Delivered and Failed are final.
 * @spec States and transitions > Other state sets
 * @assumed Delivered or Failed may be reported before Sent, which is then skipped.
 */
export const STATUSES_BEFORE: Readonly<Record<OutboundStatus, readonly OutboundStatus[]>> = {
  Accepted: [],
  Sent: ["Accepted"],
  Delivered: ["Accepted", "Sent"],
  Failed: ["Accepted", "Sent"],
};

/** Why a message failed, in the provider's words if there are any. */
export interface OutboundFailure {
  readonly code: string;
  readonly reason: string;
}

/** A status reported by a provider. */
export type StatusReport =
  | { readonly status: "Sent" | "Delivered" }
  | { readonly status: "Failed"; readonly failure: OutboundFailure };
