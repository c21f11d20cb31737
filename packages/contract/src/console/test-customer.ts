import Type, { type Static } from "typebox";
import { CHANNEL_NOT_FOUND } from "../api/channels.ts";
import { CONVERSATION_NOT_FOUND } from "../api/conversation-problems.ts";
import { LIMITS } from "../api/limits.ts";
import { ConversationStatus } from "../api/conversations.ts";
import { INVALID_REPLY_TARGET, Message, RESPONSE_RESTRICTED } from "../api/messages.ts";
import { CONFLICT } from "../api/problems.ts";
import { VisibleText } from "../api/values.ts";
import { sessionsOf } from "../kernel/access.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { CONSOLE_API } from "./inbox.ts";

/** Begins the `reference_id` of the user that an agent acts as; the agent's id follows. */
export const TEST_CUSTOMER_REFERENCE = "console-trial:";

const SPEC = "Endpoints > Conversations";
const agents = { session: sessionsOf("AGENT", "some") };

/** A conversation of the agent's test customer, as the customer sees it: without private notes. */
export const TestCustomerConversation = Type.Object(
  {
    user_id: Type.String(),
    conversation_id: Type.String(),
    channel_id: Type.String(),
    status: ConversationStatus,
    messages: Type.Array(Message, { description: "The newest 100, the oldest first." }),
  },
  { title: "TestCustomerConversation" },
);
export type TestCustomerConversation = Static<typeof TestCustomerConversation>;

/** An agent tries the account out as a customer. Each agent has one test customer. */
export const testCustomer = {
  getTestCustomer: endpoint({
    route: `GET ${CONSOLE_API}/trial`,
    summary: "Get the latest conversation of the agent's test customer, if it exists",
    spec: SPEC,
    access: agents,
    reply: { code: 200, body: Type.Object({ conversation: Type.Optional(TestCustomerConversation) }) },
  }),
  sendTestCustomerMessage: endpoint({
    route: `POST ${CONSOLE_API}/trial/messages`,
    summary: "Write as the test customer: into its latest conversation, or into a new one of a topic",
    spec: SPEC,
    access: agents,
    body: Type.Object(
      {
        channel_id: Type.Optional(Type.String({ description: "Starts a new conversation." })),
        text: VisibleText(LIMITS.text_characters),
        in_reply_to: Type.Optional(Type.Object({ message_id: Type.String() })),
      },
      { title: "TestCustomerMessage" },
    ),
    reply: { code: 200, body: TestCustomerConversation },
    addsMessages: true,
    problems: [CHANNEL_NOT_FOUND, CONVERSATION_NOT_FOUND, INVALID_REPLY_TARGET, RESPONSE_RESTRICTED, CONFLICT],
  }),
};
