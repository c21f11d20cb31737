import { WEBHOOK_ACTIONS, type Webhook, type WebhookKey } from "@parley/contract";
import { table } from "../output/table.ts";

const stateOf = ({ state, off_reason, off_time }: Webhook): string =>
  state === "on" ? "on" : `off since ${off_time}: ${off_reason}`;

/** Abbreviated, to leave space for the address. */
const actionsText = ({ actions: [first = "", ...others] }: Webhook): string =>
  others.length === 0 ? first : `${others.length + 1} of ${WEBHOOK_ACTIONS.length} actions`;
const shortState = ({ state, off_reason }: Webhook): string => (state === "on" ? "on" : `off: ${off_reason}`);

const KEEP_SECRET = "The secret is shown only once: store it securely.";

const overlapOf = ({ overlap_until }: Webhook): string[] =>
  overlap_until === undefined ? [] : [`Overlap  the previous secret also signs until ${overlap_until}`];

/** Text report of a renewed secret. */
export const renewedText = (webhook: Webhook, secret: string): string =>
  [
    `Id       ${webhook.id}`,
    `Address  ${webhook.url}`,
    `Secret   ${secret}`,
    ...(webhook.overlap_until === undefined ? ["Only this secret signs now."] : overlapOf(webhook)),
    KEEP_SECRET,
  ].join("\n");

/** Text report of one webhook. @shape shownOnce: secrets of a new webhook */
export const webhookText = (
  webhook: Webhook,
  shownOnce?: { readonly account: string; readonly secret: string; readonly public_key: string },
): string =>
  [
    `Id       ${webhook.id}`,
    ...(shownOnce ? [`Account  ${shownOnce.account}`] : []),
    `Address  ${webhook.url}`,
    `State    ${stateOf(webhook)}`,
    ...overlapOf(webhook),
    "Actions",
    ...webhook.actions.map((action) => `  ${action}`),
    ...(shownOnce
      ? [
          `Secret   ${shownOnce.secret}`,
          "Public key, of the X-Freshchat-Signature header:",
          shownOnce.public_key.trim(),
          "For other formats (one line, PKCS #1), run: npx parley webhook keys",
          KEEP_SECRET,
        ]
      : []),
  ].join("\n");

export const webhookTable = (webhooks: readonly Webhook[]): string =>
  webhooks.length === 0
    ? "No webhooks. Add one with 'npx parley webhook add https://…'."
    : table(
        ["id", "state", "actions", "address"],
        webhooks.map((webhook) => [webhook.id, shortState(webhook), actionsText(webhook), webhook.url]),
      );

const signingState = ({ state, signs_from }: WebhookKey): string => {
  if (state === "active") return `signs since ${signs_from}`;
  return state === "next" ? `signs from ${signs_from}` : `signed from ${signs_from}, retired`;
};

/** One key in the three formats that verifiers use. */
const keyText = (key: WebhookKey): string =>
  [
    `${key.id}  ${signingState(key)}`,
    key.public_key.trim(),
    "As one line:",
    key.public_key_base64,
    "As PKCS #1:",
    key.public_key_pkcs1.trim(),
  ].join("\n");

export const webhookKeysText = (keys: readonly WebhookKey[]): string =>
  keys.length === 0 ? "The account has no keys yet: its first webhook creates a key." : keys.map(keyText).join("\n\n");
