import type { NewWebhook, Webhook, WebhookAction } from "@parley/contract";
import { WEBHOOK_VALUES } from "./contract-values.ts";
import { webhookMessages as texts } from "./messages.ts";

/** Values of the form of a webhook. */
interface WebhookValues {
  readonly url: string;
  readonly actions: readonly WebhookAction[];
}

export const newWebhookValues: WebhookValues = { url: "", actions: WEBHOOK_VALUES.defaultActions };

/** Actions in the order of the contract. */
const inOrder = (chosen: readonly string[]): WebhookAction[] =>
  WEBHOOK_VALUES.actions.filter((action) => chosen.includes(action));

export const webhookValuesOf = ({ url, actions }: Pick<Webhook, "url" | "actions">): WebhookValues => ({
  url,
  actions: inOrder(actions),
});

export const withAction = (chosen: readonly WebhookAction[], action: WebhookAction, isChosen: boolean) =>
  inOrder(isChosen ? [...chosen, action] : chosen.filter((each) => each !== action));

const isWebAddress = (text: string): boolean => {
  try {
    return ["http:", "https:"].includes(new URL(text).protocol);
  } catch {
    return false;
  }
};

/** Problems that need no service to be found; it also refuses addresses that are not public. */
export const webhookProblemsOf = ({ url, actions }: WebhookValues): Partial<Record<keyof WebhookValues, string>> => ({
  ...(!isWebAddress(url.trim()) && { url: texts.urlInvalid }),
  ...(actions.length === 0 && { actions: texts.actionsMissing }),
});

export const webhookBodyOf = ({ url, actions }: WebhookValues): NewWebhook => ({
  url: url.trim(),
  actions: [...actions],
});

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
