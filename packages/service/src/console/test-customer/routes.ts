import {
  CONFLICT,
  CONVERSATION_NOT_FOUND,
  INVALID_ACTOR,
  isRefusal,
  NOT_LATEST_CONVERSATION,
  refuse,
  testCustomer,
  TEST_CUSTOMER_REFERENCE,
  USER_NOT_FOUND,
  type InputOf,
  type NewMessage,
  type Problem,
} from "@parley/contract";
import { sessionAgent } from "../../http/session-agent.ts";
import type { AddMessage } from "../../messaging/conversations/add-message.ts";
import type { createCreateConversation } from "../../messaging/conversations/create.ts";
import type { MessageComposer } from "../../messaging/conversations/compose-message.ts";
import type { Directory } from "../../messaging/directory/directory.ts";
import { defineRoutes, rawJson, type CallerAccount, type CallerAgent } from "../../http/route-handlers.ts";
import type { CreateUser } from "../../messaging/users/create.ts";
import type { TestCustomerConversationRow, TestCustomerStore } from "./store.ts";

interface TestCustomerDeps {
  readonly store: TestCustomerStore;
  readonly directory: Pick<Directory, "agent">;
  readonly createUser: CreateUser;
  readonly createConversation: ReturnType<typeof createCreateConversation>;
  readonly composer: Pick<MessageComposer, "compose">;
  readonly addMessage: AddMessage;
}

/** @units messages */
const SHOWN_MESSAGES = 100;
/** How often a message is written anew if the test customer or its latest conversation changes meanwhile. */
const ATTEMPTS_MAX = 3;
/** Refusals that only a change since the read can cause: the user was deleted, or has a later conversation. */
const RACES: readonly Problem[] = [USER_NOT_FOUND, INVALID_ACTOR, NOT_LATEST_CONVERSATION];
const isRace = (error: unknown): boolean =>
  isRefusal(error) && RACES.some(({ status }) => status === error.problem.status);

const referenceOf = ({ id }: Pick<CallerAgent, "id">): string => `${TEST_CUSTOMER_REFERENCE}${id}`;

/** JSON text. The other columns contain ids and words, the texts are serialized already. */
const conversationJson = ({ texts, ...row }: TestCustomerConversationRow): string =>
  `${JSON.stringify(row).slice(0, -1)},"messages":[${texts}]}`;

type TestCustomerMessage = InputOf<typeof testCustomer.sendTestCustomerMessage>["body"];

/**
 * An agent writes as its own test customer, through the same rules as any customer's message. The scope of the agent doesn't matter: no
 * other customer is concerned.
 */
export const testCustomerRoutes = ({
  store,
  directory,
  createUser,
  createConversation,
  composer,
  addMessage,
}: TestCustomerDeps) => {
  const newCustomer = async (account: CallerAccount, agent: CallerAgent): Promise<string> => {
    const { first_name, last_name } = (await directory.agent(account.id, agent.id)) ?? {};
    const name = [first_name, last_name].filter(Boolean).join(" ") || agent.email;
    const reference_id = referenceOf(agent);
    return (await createUser(account.id, { first_name: "Trial", last_name: `customer of ${name}`, reference_id })).id;
  };

  const write = async (account: CallerAccount, userId: string, body: TestCustomerMessage): Promise<void> => {
    const { channel_id, text, in_reply_to } = body;
    const message: NewMessage = {
      actor_type: "user",
      actor_id: userId,
      message_parts: [{ text: { content: text } }],
      ...(in_reply_to && { in_reply_to }),
    };
    // Without the agent of the session, which could write as itself only.
    if (channel_id !== undefined)
      return void (await createConversation({ account }, { channel_id, users: [{ id: userId }], messages: [message] }));
    const latest = (await store.latest(account.id, userId, 0)) ?? refuse(CONVERSATION_NOT_FOUND);
    await addMessage(account, latest.conversation_id, await composer.compose(account, message));
  };

  return defineRoutes(testCustomer, {
    async getTestCustomer({ caller: { account, ...caller } }) {
      const userId = await store.user(account.id, referenceOf(sessionAgent(caller)));
      const latest = userId && (await store.latest(account.id, userId, SHOWN_MESSAGES));
      return rawJson(latest ? `{"conversation":${conversationJson(latest)}}` : "{}");
    },

    async sendTestCustomerMessage({ caller: { account, ...caller }, body }) {
      const agent = sessionAgent(caller);
      for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
        const reference = referenceOf(agent);
        const userId = await store.userOrNew(account.id, reference, () => newCustomer(account, agent));
        try {
          await write(account, userId, body);
        } catch (error) {
          if (isRace(error)) continue;
          throw error;
        }
        const latest = await store.latest(account.id, userId, SHOWN_MESSAGES);
        if (latest) return rawJson(conversationJson(latest));
      }
      return refuse(CONFLICT);
    },
  });
};
