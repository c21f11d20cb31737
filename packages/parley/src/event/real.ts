import { setTimeout } from "node:timers/promises";
import type { ParleyClient } from "@parley/client";
import type { Invocation, ProductEventName } from "@parley/contract";
import { createChatCustomer } from "../chat/conversation.ts";
import type { ControlCalls } from "../control/control-client.ts";
import { CommandFailure } from "../environment/failure.ts";

/** How long to wait for the handler to end; the service retries for as long. @units milliseconds */
const HANDLER_TIMEOUT_MS = 30_000;
/** First name of the customer who causes the event. */
const FIRST_NAME = "Sam";
const TEXT = "Hello";

const newUser = async (client: ParleyClient): Promise<string> =>
  (await client.users.createUser({ body: { first_name: FIRST_NAME } })).id;

const newConversation = async (client: ParleyClient): Promise<string> => {
  const [user, { channels }] = await Promise.all([
    newUser(client),
    client.channels.listChannels({ query: { items_per_page: 100 } }),
  ]);
  const channel = channels.find((one) => one.enabled && one.public) ?? channels[0];
  if (!channel) throw new CommandFailure("The account has no channel to write in.");
  const { conversation_id } = await client.conversations.createConversation({
    body: {
      channel_id: channel.id,
      users: [{ id: user }],
      messages: [{ message_parts: [{ text: { content: TEXT } }], actor_type: "user", actor_id: user }],
    },
  });
  return conversation_id;
};

/** API calls that cause each event on the running service. */
const EVENT_TRIGGERS: Readonly<Record<ProductEventName, (client: ParleyClient) => Promise<unknown>>> = {
  onConversationCreate: newConversation,
  onMessageCreate: (client) => createChatCustomer(client, { name: FIRST_NAME }).send(TEXT),
  onConversationUpdate: async (client) => {
    const conversation_id = await newConversation(client);
    await client.conversations.updateConversation({ params: { conversation_id }, body: { status: "resolved" } });
  },
  onUserCreate: newUser,
  onUserUpdate: async (client) => {
    const user_id = await newUser(client);
    await client.users.updateUser({ params: { user_id }, body: { first_name: `${FIRST_NAME}uel` } });
  },
};

const isReal = (event: string): event is ProductEventName => Object.hasOwn(EVENT_TRIGGERS, event);

/** Causes an event on the service and waits until its handler has ended. @errors CommandFailure */
export async function triggerEvent(event: string, client: ParleyClient, calls: ControlCalls): Promise<Invocation> {
  if (!isReal(event))
    throw new CommandFailure(
      `--real can't trigger ${event}. It can trigger ${Object.keys(EVENT_TRIGGERS).join(", ")}. Omit --real to send a payload.`,
    );
  const { events, account, name } = await calls.app();
  if (!events.some((one) => one.event === event))
    throw new CommandFailure(
      `${name} has no handler for ${event}. It handles: ${events.map((one) => one.event).join(", ")}.`,
    );
  if (account === undefined)
    throw new CommandFailure(
      `${name} is not installed: open its installation page, or start it with 'npx parley run --install'.`,
    );
  const end = new AbortController();
  const invocations = await calls.follow({ event, kind: "product" }, end.signal);
  const first = invocations[Symbol.asyncIterator]().next();
  await EVENT_TRIGGERS[event](client);
  const timeout = setTimeout(HANDLER_TIMEOUT_MS, undefined, { signal: end.signal }).catch(() => undefined);
  try {
    const ended = await Promise.race([first, timeout]);
    if (ended?.value) return ended.value as Invocation;
  } finally {
    end.abort();
  }
  throw new CommandFailure(
    `The change was made, but no handler ended within ${HANDLER_TIMEOUT_MS / 1000} s. 'npx parley logs' shows more.`,
  );
}
