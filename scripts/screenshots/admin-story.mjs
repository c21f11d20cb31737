/** Four weeks of a small company, for the pictures of the administration. */
import { createServer } from "node:http";
import { once } from "node:events";
import { root } from "../installed.mjs";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const DAYS = 29;
const ACCOUNT = "/admin/accounts/acme";

const CUSTOMERS = [
  ["Ines Duarte", "I was charged twice for order 4711."],
  ["Jonas Berg", "Can I exchange the desk lamp for the brass one?"],
  ["Priya Nair", "Does the warranty cover the glass of the table?"],
  ["Léa Martin", "Bonjour, je voudrais retourner une chaise."],
  ["Tom Becker", "The link to my invoice does not work."],
  ["Yuki Tanaka", "Do you ship shelves to Japan?"],
  ["Omar Haddad", "Please call me back about my delivery."],
  ["Carl Lund", "I'd like a quote for 40 chairs."],
];
const text = (content) => ({ text: { content } });

/** A receiver of webhooks that fails for a while, as real receivers do. */
const startReceiver = async () => {
  let isDown = false;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(isDown ? 503 : 202, { "content-type": "application/json" });
      response.end(JSON.stringify(isDown ? { error: "The database is being restarted." } : { queued: true }));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}/parley/events`,
    setDown: (value) => void (isDown = value),
    stop: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
};

const begin = async ({ call }, [name, says], channel) => {
  const [first_name, ...rest] = name.split(" ");
  const email = `${name.replaceAll(" ", ".")}@customer.example`.toLowerCase();
  const user = await call("POST", "/users", { first_name, last_name: rest.join(" "), email });
  const { conversation_id } = await call("POST", "/conversations", {
    channel_id: channel.id,
    users: [{ id: user.id }],
    messages: [{ actor_type: "user", actor_id: user.id, message_parts: [text(says)] }],
  });
  return conversation_id;
};

/** A number from 0 to `below - 1` that looks random and is always the same. */
const dice = (seed, below) => Math.floor((Math.abs(Math.sin(seed * 12.9898) * 43_758.5453) % 1) * below);

const resolve = async ({ call }, { id, seed }) => {
  await call("PUT", `/conversations/${id}`, { status: "resolved", properties: { cf_reason: "Order" } });
  if (dice(seed + 5, 4) === 0) return;
  await call("POST", `/csat/${id}`, { issue_resolved: true, rating: 5 - Math.floor(dice(seed + 6, 10) / 4) });
};

/**
 * One working day: conversations that are answered, resolved and mostly rated.
 * @param plan.waiting conversations that are resolved in the morning
 * @returns those that are left for the next day
 */
const workADay = async (instance, { day, start, channels, teams, waiting }) => {
  const { call, administrate } = instance;
  const setClock = (ms) =>
    administrate("PUT", "/admin/world/clock", { action: "set", time: new Date(ms).toISOString() });
  const weekday = new Date(start).getUTCDay();
  await setClock(start);
  for (const conversation of waiting) await resolve(instance, conversation);
  const left = [];
  const count = weekday === 0 || weekday === 6 ? 1 : 3 + dice(day, 4);
  for (let index = 0; index < count; index += 1) {
    const seed = day * 10 + index;
    const begun = start + (index * 110 + dice(seed, 40)) * MINUTE_MS;
    await setClock(begun);
    const id = await begin(instance, CUSTOMERS[seed % CUSTOMERS.length], channels[seed % channels.length]);
    const path = `/conversations/${id}`;
    const { group, agent } = teams[dice(seed + 3, teams.length)];
    await setClock(begun + (1 + dice(seed + 1, 6)) * MINUTE_MS);
    await call("PUT", path, { status: "assigned", assigned_group_id: group, assigned_agent_id: agent });
    await setClock(begun + (8 + dice(seed + 2, 16)) * MINUTE_MS);
    await call("POST", `${path}/messages`, {
      ...{ actor_type: "agent", actor_id: agent },
      message_parts: [text("Hello! I have looked into it, and it is settled.")],
    });
    await setClock(begun + (30 + dice(seed + 4, 40)) * MINUTE_MS);
    if (dice(seed + 7, 3) === 0) left.push({ id, seed });
    else await resolve(instance, { id, seed });
  }
  return left;
};

/** The weeks before now, by the clock of the instance, which then runs as before. */
const workForWeeks = async (instance) => {
  const { call, administrate, signIn } = instance;
  const { channels } = await call("GET", "/channels?items_per_page=100");
  const { agents } = await call("GET", "/agents?is_deactivated=false&items_per_page=100");
  const teams = agents.flatMap(({ id, groups = [] }) => groups.map((group) => ({ group, agent: id })));
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  let waiting = [];
  for (let day = DAYS; day > 0; day -= 1) {
    const start = today - day * DAY_MS + 8 * 60 * MINUTE_MS;
    waiting = await workADay(instance, { day, start, channels, teams, waiting });
  }
  await administrate("PUT", "/admin/world/clock", { action: "reset" });
  await signIn();
  return channels;
};

/** Concierge as a published app, with a key of its own. */
const installConcierge = async ({ command }) => {
  await command("publish", root, "--json");
  await command("apps", "install", "concierge", "--account", "acme", "--json");
};

const setUp = async ({ administrate }) => {
  await administrate("PUT", ACCOUNT, { name: "acme", automatic_assignment: true });
  const tokens = [
    ["Warehouse", ["user:read", "conversation:read", "message:read"]],
    ["Data export to the CRM", ["report:create", "report:read", "metric:read"]],
  ];
  for (const [name, permissions] of tokens) await administrate("POST", `${ACCOUNT}/tokens`, { name, permissions });
  await administrate("PUT", `${ACCOUNT}/identity-providers/company`, {
    label: "Sign in with Acme",
    issuer: "https://login.acme.example",
    client_id: "parley",
    client_secret: "the secret of the pictures",
  });
};

/** Fills the account. -> id of the webhook, and what ends the receiver of its events */
export const fillAdministration = async (instance) => {
  const { administrate } = instance;
  const channels = await workForWeeks(instance);
  await setUp(instance);
  const receiver = await startReceiver();
  const created = await administrate("POST", `${ACCOUNT}/webhooks`, {
    url: receiver.url,
    actions: ["message_create", "conversation_resolution"],
  });
  await installConcierge(instance);
  for (const [index, customer] of CUSTOMERS.entries()) {
    receiver.setDown(index === 4);
    await begin(instance, customer, channels[index % channels.length]);
    // Each is delivered, or has failed, before the next event.
    await new Promise((resolve) => setTimeout(resolve, index === 4 ? 4_000 : 500));
  }
  return { webhookId: created.webhook.id, stop: () => receiver.stop() };
};
