import { setTimeout } from "node:timers/promises";
import type { MessageTemplate, NewOutboundMessage, OutboundMessage, Template } from "@parley/contract";
import { SERVICE_SCHEMA } from "../../../src/index.ts";
import { outboundTemplateStore } from "../../../src/messaging/outbound/templates.sql.ts";
import type { ServiceHarness } from "../../service-harness.ts";

/** Phone numbers of the sandbox, as docs/integrators/outbound-messages.md lists them. */
export const RECIPIENT_NUMBERS = {
  delivered: "+12025550101",
  failed: "+12025550102",
  slow: "+12025550103",
  never: "+12025550104",
  other: "+12025550105",
} as const;

export const SENDER_NUMBER = "+12025550100";

/** A template with two parameters in its text. */
export const GREETING_TEMPLATE: Template = {
  namespace: "test",
  name: "greeting",
  language: "en_US",
  status: "approved",
  body: { text: "Hi {{1}}, it is {{2}}." },
};

export const messageTemplate = (template: Template, more: Partial<MessageTemplate> = {}): MessageTemplate => ({
  template_name: template.name,
  namespace: template.namespace,
  language: { policy: "deterministic", code: template.language },
  ...more,
});

export const templateParams = (...texts: string[]) => texts.map((data) => ({ data }));

/** A valid request: the greeting to one number. */
export const outboundRequest = (
  more: Partial<MessageTemplate> = {},
  to: readonly string[] = [RECIPIENT_NUMBERS.delivered],
) => ({
  from: { phone_number: SENDER_NUMBER },
  provider: "chatapp",
  to: to.map((phone_number) => ({ phone_number })),
  data: {
    message_template: messageTemplate(GREETING_TEMPLATE, {
      rich_template_data: { body: { params: templateParams("Ada", "late") } },
      ...more,
    }),
  },
});

export const saveTemplate = async (w: ServiceHarness, template: Template, account = "acme"): Promise<void> => {
  const pool = w.database.pool(SERVICE_SCHEMA, { max: 1 });
  const row = await pool.one<{ id: number }>({ name: "", text: "select id from accounts where name = $1" }, [account]);
  await outboundTemplateStore(pool).put(row?.id ?? 0, template);
  await pool.end();
};

export const sendOutbound = (w: ServiceHarness, body: NewOutboundMessage, provider = "chatapp") =>
  w.client.outbound.sendOutboundMessage({ params: { provider }, body });

export const messagesOfRequest = async (w: ServiceHarness, request_id: string): Promise<OutboundMessage[]> =>
  (await w.client.outbound.listOutboundMessages({ query: { request_id, items_per_page: 100 } })).outbound_messages;

/** Waits until the result satisfies the condition. */
export const pollUntil = async <T>(ask: () => Promise<T>, isSo: (response: T) => boolean): Promise<T> => {
  for (let polls = 0; ; polls += 1) {
    const response = await ask();
    if (isSo(response)) return response;
    if (polls === 400) throw new Error(`the condition did not hold: ${JSON.stringify(response)}`);
    await setTimeout(25);
  }
};

/** Waits until each message of a request has its status. */
export const untilStatuses = (w: ServiceHarness, request_id: string, ...statuses: OutboundMessage["status"][]) =>
  pollUntil(
    () => messagesOfRequest(w, request_id),
    (messages) => messages.map(({ status }) => status).join() === statuses.join(),
  );

/** A clock that a test moves. */
export const fakeClock = (start = Date.parse("2026-03-01T10:00:00.000Z")) => {
  let time = start;
  return { now: () => new Date(time), advance: (ms: number) => void (time += ms) };
};
export const MINUTE_MS = 60_000;
