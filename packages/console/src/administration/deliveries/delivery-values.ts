import type { AdminDelivery, DeliveryState, StreamEventKind } from "@parley/contract";
import { formatNumber } from "../../i18n/format.ts";
import { deliveryMessages as texts } from "./messages.ts";

/** The kinds of events that webhooks receive, in the order of the filter. */
export const WEBHOOK_EVENT_KINDS = [
  "message_create",
  "conversation_create",
  "conversation_update",
  "outbound_message_update",
] as const satisfies readonly StreamEventKind[];
export type WebhookEventKind = (typeof WEBHOOK_EVENT_KINDS)[number];

/** -> the name of a kind of events; an unknown kind, of a later release, as it is */
export const kindText = (kind: string): string => {
  const known = WEBHOOK_EVENT_KINDS.find((each) => each === kind);
  return known === undefined ? kind : texts[known];
};

export const DELIVERY_STATE_TONES = {
  delivered: "success",
  waiting: "warning",
  aside: "warning",
  dead: "danger",
} as const satisfies Readonly<Record<DeliveryState, string>>;

/** Result of a delivery: the status of the response, or why no response arrived. @shape tries 0: nothing was sent yet */
export const responseText = ({ status, reason, tries }: Pick<AdminDelivery, "status" | "reason" | "tries">): string => {
  if (status !== undefined) return String(status);
  return tries === 0 ? texts.notSent : (reason ?? texts.noAnswer);
};

export const millisecondsText = (milliseconds: number | undefined): string =>
  milliseconds === undefined ? "–" : texts.milliseconds(formatNumber(milliseconds));

/** Whether a delivery can be requested again: one that waits is sent anyway. */
export const isRepeatable = ({ state }: Pick<AdminDelivery, "state">): boolean => state !== "waiting";

/** JSON with a line for each member; other texts as they are. */
export const readable = (body: string): string => {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
};
