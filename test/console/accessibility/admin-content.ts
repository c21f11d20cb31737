import type { AccountDocument } from "@parley/contract";
import {
  startFakeWebhookReceiver,
  type FakeWebhookReceiver,
} from "../../../packages/service/test/events/webhooks/fake-webhook-receiver.ts";
import { picture } from "../support/content.ts";
import { consoleAccount } from "../support/account.ts";
import { eventually, type AgentBrowser, type ConsoleHarness } from "../support/harness.ts";
import { temporaryFolder } from "../../support/parley-process.ts";
import { publishGreeter, publishSurveys } from "../support/published-greeter.ts";

/** An account in which every page of the administration has something to show. */
export interface AdminContent {
  /** An agent with a session. */
  readonly agentId: string;
  /** A deactivated agent, who has no session. */
  readonly formerAgentId: string;
  /** A webhook that has received events, and failed to. */
  readonly webhookId: string;
  readonly webhookUrl: string;
  stop(): Promise<void>;
}

/** Long names, and texts in German: they need more space than English texts. */
export const LONG_NAME = "Reklamationen, Rücksendungen und Garantiefälle der Geschäftskundenbetreuung";
const text = (content: string) => ({ text: { content } });
const workday = [
  { from: "09:00", to: "12:30" },
  { from: "13:30", to: "18:00" },
];

const documentWith = (iconUrl: string): Omit<AccountDocument, "name"> => ({
  automatic_assignment: true,
  messenger: {
    aliases: ["2f1c6a1e-0b7d-4a55-9a0e-5d4f3b2c1a00", "4711/42"],
    origins: [
      "https://shop.acme-logistics.example",
      "https://*.returns-and-warranty-claims.acme-logistics.example:8443",
    ],
  },
  channels: [
    {
      name: "Orders and delivery",
      tags: ["shop", "checkout"],
      icon: { url: iconUrl },
      welcome_message: { message_parts: [text("Hello! What is the number of your order?")] },
      locales: {
        de: { name: "Bestellung und Lieferung", welcome_message: { message_parts: [text("Guten Tag!")] } },
      },
    },
    { name: LONG_NAME, public: false, tags: ["partners"] },
    { name: "Trade fair 2025", enabled: false },
  ],
  groups: [
    { name: "Returns", routing_type: "INTELLIASSIGN", routing_logic: "LOAD" },
    { name: "Wholesale", description: LONG_NAME, routing_type: "INTELLIASSIGN", routing_logic: "ROUND_ROBIN" },
    { name: LONG_NAME },
  ],
  roles: [{ name: "Shift lead", description: "Leads a shift, and decides about refunds." }],
  statuses: [
    { name: "At lunch", availability_status: "UNAVAILABLE" },
    { name: "Phone and chat", availability_status: "AVAILABLE" },
  ],
  fields: [
    { name: "priority" },
    { name: "cf_reason", label: "Reason", type: "DROPDOWN", required: true, choices: ["Delay", "Damage", LONG_NAME] },
    { name: "cf_amount", label: LONG_NAME, type: "DECIMAL", editable: false },
  ],
  templates: [
    {
      ...{ namespace: "acme_shop", name: "order_shipped", language: "en", status: "approved" },
      header: { type: "text", text: "Your order" },
      body: { text: "Hello {{1}}, your order {{2}} is on its way." },
      buttons: [{ subType: "url", label: "Follow the parcel", url: "https://shop.example/parcel" }],
    },
    {
      ...{ namespace: "acme_shop", name: "bestellung_versendet_und_unterwegs", language: "de_DE", status: "pending" },
      body: { text: "Guten Tag {{1}}, Ihre Bestellung ist unterwegs." },
    },
    { namespace: "acme_shop", name: "restocked", language: "en", status: "rejected", body: { text: "Back in stock." } },
  ],
  business_hours: [
    {
      timezone: "Europe/Berlin",
      week: { monday: workday, tuesday: workday, wednesday: workday, thursday: workday, friday: workday, saturday: [] },
      holidays: ["2026-12-25", "2027-01-01"],
    },
    {
      group: "Returns",
      timezone: "America/Argentina/Buenos_Aires",
      week: { monday: [{ from: "00:00", to: "24:00" }] },
    },
  ],
});

/** Conversations with answers and ratings, whose events go to the webhook. */
const converse = async (s: ConsoleHarness, agentId: string): Promise<void> => {
  const names = ["Ada Fuller", "Yuki Tanaka", "Oluwaseun Adebayo-Christodoulopoulos", "Noor Haddad"];
  for (const [index, name] of names.entries()) {
    const { id } = await s.beginConversation(name, `Where is my parcel? It was sent 12 days ago. (${name})`);
    const conversation = { params: { conversation_id: id } };
    const assigned = { status: "assigned" as const, assigned_agent_id: agentId };
    await s.client.conversations.updateConversation({ ...conversation, body: assigned });
    const answer = { actor_type: "agent" as const, actor_id: agentId, message_parts: [text("It arrives tomorrow.")] };
    await s.client.messages.createMessage({ ...conversation, body: answer });
    const properties = { cf_reason: "Delay" };
    await s.client.conversations.updateConversation({ ...conversation, body: { status: "resolved", properties } });
    await s.client.csat.createCsat({ ...conversation, body: { issue_resolved: true, rating: 5 - index } });
  }
};

/** An installed app with successful and failed calls, a schedule and a newer version, and one that can be installed. */
const installApps = async (s: ConsoleHarness, owner: AgentBrowser): Promise<void> => {
  const packages = await temporaryFolder("parley-apps-");
  await publishGreeter("1.0.0", packages.folder, s.dataFolder);
  const key = { domain: "acme", api_key: s.token };
  await owner.administration.platform.installApp({
    params: { account: "acme" },
    body: { name: "greeter", iparams: key },
  });
  await publishGreeter("1.1.0", packages.folder, s.dataFolder);
  await publishSurveys(packages.folder, s.dataFolder);
  await packages.remove();
  const customer = await s.beginConversation("Kim Customer", "hi");
  await customer.write("schedule 360000000 reminder");
  await customer.write("break");
  await eventually(async () => {
    const [schedules, failed] = await Promise.all([
      owner.administration.platform.listSchedules({ params: { account: "acme", name: "greeter" } }),
      owner.administration.admin.listSubscriptions({ params: { account: "acme" } }),
    ]);
    const { dead = 0 } = failed.subscriptions.find(({ name }) => name === "app greeter") ?? {};
    if (schedules.schedules.length === 0 || dead === 0) throw new Error("The app has not failed yet.");
  }, 60_000);
};

/** A webhook with delivered and failed events. */
const deliver = async (s: ConsoleHarness, owner: AgentBrowser, receiver: FakeWebhookReceiver): Promise<string> => {
  const { webhook } = await owner.administration.admin.createWebhook({
    params: { account: "acme" },
    body: { url: receiver.url, actions: ["message_create", "conversation_resolution"] },
  });
  await s.beginConversation("Ines Delivered", "This message arrives.");
  await receiver.until(1);
  receiver.replyWith(() => [500, { "content-type": "text/plain" }, "The database of the receiver is down."]);
  await s.beginConversation("Ines Failed", "This message does not arrive.");
  await eventually(async () => {
    const { deliveries } = await owner.administration.admin.listDeliveries({
      params: { account: "acme", subscription_id: webhook.id },
      query: {},
    });
    if (!deliveries.some(({ state }) => state === "dead")) throw new Error("No delivery has failed yet.");
  });
  receiver.replyWith(() => 204);
  return webhook.id;
};

/** Fills the account acme. */
export const fillAdministration = async (s: ConsoleHarness): Promise<AdminContent> => {
  const owner = await s.visit();
  const account = consoleAccount(s);
  const upload = { name: "orders.png", content_type: "image/png", content: picture(48, 48) };
  await account.apply(documentWith((await s.client.images.uploadImage({ upload })).url ?? ""));
  const groups = await Promise.all(["Returns", "Wholesale", LONG_NAME].map((name) => account.group(name)));
  const agent = await account.agent({ name: "Oluwaseun Adebayo-Christodoulopoulos", groups });
  await account.agent({ name: "Tomasz Wielki", role: "SUPER_USER", scope: "Group" });
  const former = await account.agent({ name: "Frieda Former" });
  await (await s.visit(agent.email)).close();
  const { admin } = owner.administration;
  const params = { account: "acme" };
  await admin.changeAgentSettings({ params: { ...params, agent_id: former.id }, body: { is_deactivated: true } });
  await admin.createToken({
    params,
    body: { name: "Nightly synchronization of the warehouse", permissions: ["user:read"] },
  });
  const ended = await admin.createToken({
    params,
    body: { name: "Old import", permissions: ["group:read", "agent:read"] },
  });
  await admin.revokeToken({ params: { ...params, token_id: ended.id } });
  await admin.putIdentityProvider({
    params: { ...params, provider: "company" },
    body: {
      label: "Company account",
      issuer: "https://login.example.com/realms/customer-service",
      client_id: "parley",
      client_secret: "hush-hush-secret",
    },
  });
  const receiver = await startFakeWebhookReceiver();
  const webhookId = await deliver(s, owner, receiver);
  const off = {
    url: "https://warehouse.acme-logistics.example/integrations/parley/events",
    actions: ["message_create" as const],
  };
  const { webhook } = await admin.createWebhook({ params, body: off });
  await admin.changeWebhook({ params: { ...params, webhook_id: webhook.id }, body: { state: "off" } });
  await converse(s, agent.id);
  await s.client.outbound.sendOutboundMessage({
    params: { provider: "chatapp" },
    body: {
      from: { phone_number: "+12025550100" },
      provider: "chatapp",
      to: ["+12025550101", "+12025550102"].map((phone_number) => ({ phone_number })),
      data: {
        message_template: {
          template_name: "order_shipped",
          namespace: "acme_shop",
          language: { policy: "deterministic", code: "en" },
          rich_template_data: { body: { params: [{ data: "Ada" }, { data: "4711" }] } },
        },
      },
    },
  });
  const end = new Date().toISOString();
  const start = new Date(Date.now() - 3_600_000).toISOString();
  await s.client.reports.createReport({ body: { event: "CSAT-Score", start, end, should_exclude_pii: true } });
  await installApps(s, owner);
  await owner.close();
  return {
    agentId: agent.id,
    formerAgentId: former.id,
    webhookId,
    webhookUrl: receiver.url,
    stop: () => receiver.close(),
  };
};
