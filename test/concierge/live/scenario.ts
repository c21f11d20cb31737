import type { Invocation, Message } from "@parley/contract";
import type { World } from "@parley/framework/testing";
import { EXTERNAL_SYSTEM_URL } from "./fake-external-system.ts";
import { createCustomer } from "./harness.ts";

/** A day and a night of a small business in which every use case acts. */

export const SCENARIO_SETTINGS = {
  rules: "keyword refund => group Billing; priority High",
  after_hours: true,
  hours: "Mon-Fri 09:00-17:00",
  queue_group: "Support",
  follow_up: true,
  nudge_hours: 2,
  resolve_hours: 3,
  escalation_group: "Returns",
  sync_in: true,
  outbound_events: "order.shipped => order_update (en): {{user.first_name}}, {{data.number}}",
  outbound_from: "+12025550100",
  outbound_namespace: "acme_shop",
  sync_out: true,
  sync_url: EXTERNAL_SYSTEM_URL,
  sync_secret: "a secret",
  digest: true,
  digest_hour: "18:00",
  digest_to: "The other system",
};

/** An event of the shop's system about a person who hasn't written yet. */
const ORDER_EVENT = {
  id: "order-1041",
  event: "order.shipped",
  user: { phone: "+12025550103", first_name: "Fay", properties: { plan: "Pro" } },
  data: { number: "1041" },
};

type Customer = Awaited<ReturnType<typeof createCustomer>>;

export interface ScenarioResult {
  readonly customers: readonly Customer[];
}

/**
 * Runs the scenario from Monday at nine until Tuesday.
 * @param after is called when everything that follows from a step has happened
 */
export async function runScenario(
  w: World,
  after: () => Promise<void> = () => Promise.resolve(),
): Promise<ScenarioResult> {
  const { agents } = await w.api.agents.listAgents({ query: { items_per_page: 1 } });
  const agent = agents[0]?.id ?? "";
  const customers: Customer[] = [];
  const startConversation = async (first_name: string, text: string, more: { user_id?: string } = {}) => {
    const one = await createCustomer(w, { user: { first_name }, text, ...more });
    customers.push(one);
    await after();
    return {
      ...one,
      write: async (text: string) => {
        await one.write(text);
        await after();
      },
      change: async (body: Parameters<Customer["change"]>[0]) => {
        await one.change(body);
        await after();
      },
    };
  };
  const writeAsAgent = async (to: Customer, text: string) => {
    await w.api.messages.createMessage({
      params: { conversation_id: to.id },
      body: { message_parts: [{ text: { content: text } }], actor_type: "agent", actor_id: agent },
    });
    await w.settled();
    await after();
  };
  const setClock = async (time: string) => {
    await w.clock.set(new Date(time));
    await w.settled();
    await after();
  };

  const ada = await startConversation("Ada", "Hello");
  await ada.write("I need help with my order");
  await ada.write("Write to ada@example.com, please");
  await ada.write("Yes, keep it");

  const ben = await startConversation("Ben", "I want a refund");
  await ben.change({ status: "assigned", assigned_agent_id: agent });
  await ben.change({ status: "resolved" });
  await ben.write("5");

  const cleo = await startConversation("Cleo", "Where is my lamp?");
  await cleo.change({ status: "assigned", assigned_agent_id: agent });
  await cleo.change({ status: "resolved" });
  await cleo.write("1");

  await w.event("onExternalEvent", {
    data: ORDER_EVENT,
    timestamp: Date.parse("2026-01-05T09:00:00Z"),
    domain: "acme.parley.localhost",
  });
  await w.settled();
  await after();

  const dan = await startConversation("Dan", "Do you have a blue one?");
  await writeAsAgent(dan, "We have. How many?");
  await setClock("2026-01-05T11:30:00Z");
  await setClock("2026-01-05T14:45:00Z");

  await startConversation("Ada", "It is me again", { user_id: ada.user_id });
  await setClock("2026-01-05T18:05:00Z");
  await startConversation("Eve", "Are you there?");
  await setClock("2026-01-06T09:30:00Z");
  return { customers };
}

const partsOf = ({ message_parts, reply_parts = [] }: Message) => JSON.stringify([...message_parts, ...reply_parts]);

/** Everything visible to customers, agents and other systems. Without ids, so that two runs are equal. */
export async function visibleStateOf(w: World, { customers }: ScenarioResult, { withIds = false } = {}) {
  const groups = new Map(
    (await w.api.groups.listGroups({ query: { items_per_page: 100 } })).groups.map(({ id, name }) => [id, name]),
  );
  const each = await Promise.all(
    customers.map(async (one) => {
      const [messages, conversation, user] = [await one.messages(), await one.conversation(), await one.user()];
      return {
        messages: messages.map((message) =>
          [message.actor_type, message.message_type, partsOf(message), ...(withIds ? [message.id] : [])].join(" "),
        ),
        status: conversation.status,
        group: groups.get(conversation.assigned_group_id ?? ""),
        hasAgent: Boolean(conversation.assigned_agent_id),
        properties: conversation.properties,
        user: [user.first_name, user.email, user.phone, user.properties],
      };
    }),
  );
  const { users } = await w.api.users.listUsers({ query: { phone_no: ORDER_EVENT.user.phone } });
  const { outbound_messages } = await w.api.outbound.listOutboundMessages({ query: { items_per_page: 100 } });
  return {
    customers: each,
    fay: users.map(({ first_name, phone, properties }) => ({ first_name, phone, properties })),
    outbound: outbound_messages.map(({ to, data }) => ({ to, data })),
  };
}

/** Events and schedules for which handlers were called, and which may be repeated. */
export const repeatableEvents = async (w: World): Promise<readonly Invocation[]> =>
  (await w.invocations()).filter(({ event, ok }) => ok && !["onAppInstall", "afterAppUpdate"].includes(event));
