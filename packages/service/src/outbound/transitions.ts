import type { OutboundStatus } from "@parley/contract";

/**
 * From where a message may come into a status: on only, never back, and nothing follows the end.
 * @spec States and transitions > Other state sets
 * @assumed Delivered or Failed may be heard before Sent, which is passed over then.
 */
export const BEFORE: Readonly<Record<OutboundStatus, readonly OutboundStatus[]>> = {
  Accepted: [],
  Sent: ["Accepted"],
  Delivered: ["Accepted", "Sent"],
  Failed: ["Accepted", "Sent"],
};

/** Why a message failed. The provider's own words where it has any. */
export interface Failure {
  readonly code: string;
  readonly reason: string;
}

/** A status that a provider tells of. */
export type Report =
  { readonly status: "Sent" | "Delivered" } | { readonly status: "Failed"; readonly failure: Failure };
