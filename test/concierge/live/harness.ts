import type { IparamValue, Message } from "@parley/contract";
import { world, type World } from "@parley/framework/testing";
import { EXTERNAL_SYSTEM_HOST, startFakeExternalSystem, type FakeExternalSystem } from "./fake-external-system.ts";
import { ROOT } from "../../support/parley-process.ts";

/** A service with Concierge, shared by the files that one test process runs sequentially. */

const INSTANCE_KEY = Symbol.for("parley.tests.concierge");
interface SharedInstance {
  readonly w: World;
  readonly externalSystem: FakeExternalSystem;
}
const shared = globalThis as { [INSTANCE_KEY]?: Promise<SharedInstance> };

const startInstance = async (): Promise<SharedInstance> => {
  const externalSystem = await startFakeExternalSystem();
  return { w: await world({ folder: ROOT, maps: { [EXTERNAL_SYSTEM_HOST]: externalSystem.origin } }), externalSystem };
};

/**
 * Returns the process's instance, reset to its initial state and installed with the given settings. It ends with the process.
 * A start takes four seconds of processor time and a reset a third of a second: call this once per file, and let each test create its own
 * customers. `externalSystem` is the system that the app reaches as EXTERNAL_SYSTEM_HOST, with its recorded requests.
 */
export async function conciergeHarness(
  iparams: Readonly<Record<string, IparamValue>> = {},
): Promise<World & { readonly externalSystem: FakeExternalSystem }> {
  const isNew = shared[INSTANCE_KEY] === undefined;
  const { w, externalSystem } = await (shared[INSTANCE_KEY] ??= startInstance());
  if (!isNew) await w.reset();
  externalSystem.reset();
  if (Object.keys(iparams).length > 0) await w.install(iparams);
  return { ...w, externalSystem };
}

const textsOf = ({ message_parts }: Message): string =>
  message_parts.flatMap(({ text }) => (text ? [text.content] : [])).join("\n");

export interface CustomerOptions {
  /** Members of the user, as for POST /v2/users. */
  readonly user?: Readonly<Record<string, unknown>>;
  /** Id of an existing user. */
  readonly user_id?: string;
  /** Name of the topic; the first one by default. */
  readonly topic?: string;
  readonly text?: string;
}

/** Creates a customer's conversation, and waits until everything that follows has happened. */
export async function createCustomer(w: World, { user = {}, user_id, topic, text = "Hello" }: CustomerOptions = {}) {
  const id = user_id ?? (await w.api.users.createUser({ body: { first_name: "Ada", ...user } })).id;
  const { channels } = await w.api.channels.listChannels({ query: { items_per_page: 100 } });
  const channel = topic === undefined ? channels[0] : channels.find(({ name }) => name === topic);
  if (!channel) throw new Error(`There is no topic ${topic}: ${channels.map(({ name }) => name).join(", ")}.`);
  const message = (content: string) => ({
    message_parts: [{ text: { content } }],
    actor_type: "user" as const,
    actor_id: id,
  });
  const { conversation_id } = await w.api.conversations.createConversation({
    body: { channel_id: channel.id, users: [{ id }], messages: [message(text)] },
  });
  const params = { conversation_id };
  await w.settled();
  const messages = async (): Promise<readonly Message[]> =>
    (await w.api.messages.listMessages({ params, query: { items_per_page: 50 } })).messages.toReversed();
  return {
    id: conversation_id,
    user_id: id,
    conversation: () => w.api.conversations.getConversation({ params }),
    user: () => w.api.users.getUser({ params: { user_id: id } }),
    /** All messages, oldest first. */
    messages,
    /** The bot's messages to the customer, oldest first. */
    botTexts: async () =>
      (await messages())
        .filter(({ actor_type, message_type }) => actor_type === "bot" && message_type === "normal")
        .map(textsOf),
    /** Private notes, oldest first. */
    notes: async () => (await messages()).filter(({ message_type }) => message_type === "private").map(textsOf),
    /** Sends a message, and waits until everything that follows has happened. */
    async write(text: string) {
      await w.api.messages.createMessage({ params, body: message(text) });
      await w.settled();
    },
    async change(body: Parameters<World["api"]["conversations"]["updateConversation"]>[0]["body"]) {
      await w.api.conversations.updateConversation({ params, body });
      await w.settled();
    },
  };
}

/** Ids of groups by name. */
export const groupsOf = async (w: World): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    (await w.api.groups.listGroups({ query: { items_per_page: 100 } })).groups.map(({ id, name }) => [name, id]),
  );
