import type { ReplyTemplate } from "@parley/contract";
import type { DemoIdOf } from "./demo-account.ts";

const REPLIES = [
  [
    "Greeting",
    "hi",
    "Hello {{customer.first_name}}, thank you for writing to Acme. My name is {{agent.first_name}}. How can I help you?",
  ],
  [
    "Ask for the order number",
    "order",
    "Could you send me the number of your order? It is at the top of the confirmation that we sent by e-mail.",
  ],
  [
    "Delivery time",
    "delivery",
    "Orders leave our warehouse within two working days and arrive within five. You receive an e-mail with a link to the parcel once it is on its way.",
  ],
  [
    "Start a return",
    "return",
    "You can return everything within 30 days. Please put the article into its box. We send you a label for the parcel and refund the price when it has arrived.",
  ],
  [
    "Closing",
    "bye",
    "I am glad that I could help, {{customer.first_name}}. Write to us at any time if there is anything else. Regards, {{agent.first_name}} {{agent.last_name}}",
  ],
] as const;

/** Replies that all agents of the account can use. */
export const acmeReplies = (idOf: DemoIdOf, owner: string): ReplyTemplate[] =>
  REPLIES.map(([name, shortcut, text]) => ({
    id: idOf("reply template", name),
    owner_id: idOf("agent", owner),
    name,
    shortcut,
    text,
    is_shared: true,
    updated_time: "2026-01-05T09:00:00.000Z",
  }));
