import type { NewWebhook, WebhookAction } from "@parley/contract";
import type { SchemaForm } from "../../forms/schema-form.ts";
import { WEBHOOK_SCHEMA, WEBHOOK_VALUES } from "./contract-values.ts";
import { webhookMessages as texts } from "./messages.ts";

interface WebhookValues {
  readonly url: string;
  readonly actions: readonly WebhookAction[];
}

/** Actions in the order of the contract. */
export const inOrder = (chosen: readonly string[]): WebhookAction[] =>
  WEBHOOK_VALUES.actions.filter((action) => chosen.includes(action));

export const withAction = (chosen: readonly WebhookAction[], action: WebhookAction, isChosen: boolean) =>
  inOrder(isChosen ? [...chosen, action] : chosen.filter((each) => each !== action));

const isWebAddress = (text: string): boolean => {
  try {
    return ["http:", "https:"].includes(new URL(text).protocol);
  } catch {
    return false;
  }
};

/** The form of a webhook. The service also refuses addresses that are not public. */
export const webhookForm: SchemaForm<NewWebhook, WebhookValues> = {
  schema: WEBHOOK_SCHEMA,
  members: {
    url: {
      label: texts.url,
      help: texts.urlHelp,
      isAddress: true,
      missing: texts.urlInvalid,
      check: (url) => (isWebAddress(url) ? undefined : texts.urlInvalid),
    },
    actions: {
      label: texts.events,
      initial: WEBHOOK_VALUES.defaultActions,
      check: (actions) => (actions.length === 0 ? texts.actionsMissing : undefined),
    },
  },
};

/** The message of the service about a refused address, without the name of the field. -> undefined for other refusals */
export const urlRefusal = (refusal: string | undefined): string | undefined => /^url: (.*)$/s.exec(refusal ?? "")?.[1];

/** How long a previous secret or key can be used on, to choose from. @units hours */
export const OVERLAPS = [0, 1, 24, 168, 720] as const;
export type Overlap = (typeof OVERLAPS)[number];

export const overlapText = (hours: Overlap): string => {
  if (hours === 0) return texts.noOverlap;
  return hours < 48 ? texts.hours(hours) : texts.days(hours / 24);
};

/** Tone of the success of the last deliveries. @shape share: delivered of attempted */
export const successTone = (attempted: number, delivered: number): "success" | "warning" | "danger" => {
  if (delivered === attempted) return "success";
  return delivered * 2 >= attempted ? "warning" : "danger";
};
