import Type, { type Static } from "typebox";
import { Csat } from "../api/csat.ts";
import { USER_NOT_FOUND } from "../api/users.ts";
import { Pairs, ShortText, Time } from "../api/values.ts";
import { sessionsOf } from "../kernel/access.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { CONSOLE_API, ListedCustomer, SPEC_OF_CONSOLE } from "./inbox.ts";

export const CUSTOMER_ORDERS = ["newest", "oldest", "name", "newest_activity"] as const;
export type CustomerOrder = (typeof CUSTOMER_ORDERS)[number];

export const DirectoryCustomer = Type.Object(
  {
    ...ListedCustomer.properties,
    created_time: Time,
    conversations: Type.Integer({ description: "Conversations within the agent's scope." }),
    activity_time: Type.Optional(
      Type.String({ format: "date-time", description: "Time of the last message in them, or of their last change." }),
    ),
  },
  { title: "DirectoryCustomer" },
);
export type DirectoryCustomer = Static<typeof DirectoryCustomer>;

/** A line of an export of a customer. */
export const CustomerExportLine = Type.Object(
  {
    kind: Type.Enum(["user", "conversation", "page", "message", "rating"]),
    data: Pairs,
  },
  { title: "CustomerExportLine" },
);

/** Whether a customer may write in the messenger. A blocked customer can read its conversations there, and write nothing. */
export const CustomerBlock = Type.Object(
  {
    is_blocked: Type.Boolean(),
    blocked_time: Type.Optional(Time),
    agent_id: Type.Optional(Type.String({ description: "The agent who blocked the customer." })),
  },
  { title: "CustomerBlock" },
);
export type CustomerBlock = Static<typeof CustomerBlock>;

export const customers = {
  listCustomers: endpoint({
    route: `GET ${CONSOLE_API}/customers`,
    summary: "List customers within the agent's scope, by the beginning of a name, e-mail address or phone number",
    spec: SPEC_OF_CONSOLE,
    access: { session: sessionsOf("AGENT", "some") },
    query: Type.Object({
      text: Type.Optional(ShortText),
      order: Type.Optional(Type.Enum([...CUSTOMER_ORDERS], { description: "newest when absent." })),
      cursor: Type.Optional(Type.String({ maxLength: 512 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "50 when absent." })),
    }),
    reply: {
      code: 200,
      body: Type.Object({
        customers: Type.Array(DirectoryCustomer),
        next: Type.Optional(Type.String()),
        total: Type.Optional(Type.Integer({ description: "With the first page only." })),
      }),
    },
  }),
  listRatings: endpoint({
    route: `GET ${CONSOLE_API}/customers/{user_id}/ratings`,
    summary: "List the ratings of a customer's conversations, the newest first",
    spec: SPEC_OF_CONSOLE,
    access: { session: sessionsOf("AGENT", "user") },
    reply: { code: 200, body: Type.Object({ ratings: Type.Array(Csat) }) },
    problems: [USER_NOT_FOUND],
  }),
  exportCustomer: endpoint({
    route: `GET ${CONSOLE_API}/customers/{user_id}/export`,
    summary: "Export a customer with all conversations, messages and ratings",
    spec: SPEC_OF_CONSOLE,
    access: { session: sessionsOf("ADMIN", "all") },
    reply: { code: 200, type: "application/x-ndjson", body: CustomerExportLine },
    problems: [USER_NOT_FOUND],
  }),
  getCustomerBlock: endpoint({
    route: `GET ${CONSOLE_API}/customers/{user_id}/block`,
    summary: "Get whether a customer is blocked in the messenger",
    spec: SPEC_OF_CONSOLE,
    access: { session: sessionsOf("AGENT", "user") },
    reply: { code: 200, body: CustomerBlock },
    problems: [USER_NOT_FOUND],
  }),
  blockCustomer: endpoint({
    route: `POST ${CONSOLE_API}/customers/{user_id}/block`,
    summary: "Block a customer in the messenger",
    spec: SPEC_OF_CONSOLE,
    access: { session: sessionsOf("AGENT", "user") },
    reply: { code: 200, body: CustomerBlock },
    problems: [USER_NOT_FOUND],
  }),
  unblockCustomer: endpoint({
    route: `DELETE ${CONSOLE_API}/customers/{user_id}/block`,
    summary: "Let a blocked customer write in the messenger again",
    spec: SPEC_OF_CONSOLE,
    access: { session: sessionsOf("AGENT", "user") },
    reply: { code: 200, body: CustomerBlock },
    problems: [USER_NOT_FOUND],
  }),
};
