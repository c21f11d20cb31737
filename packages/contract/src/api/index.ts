import type { Endpoint } from "../kernel/endpoint.ts";
import { accounts } from "./accounts.ts";
import { agents } from "./agents.ts";
import { channels } from "./channels.ts";
import { conversations } from "./conversations.ts";
import { csat } from "./csat.ts";
import { fields } from "./fields.ts";
import { groups } from "./groups.ts";
import { messages } from "./messages.ts";
import { businessHours, metrics } from "./metrics.ts";
import { outbound } from "./outbound.ts";
import { reports } from "./reports.ts";
import { roles } from "./roles.ts";
import { search } from "./search.ts";
import { stream } from "./stream.ts";
import { files, images } from "./uploads.ts";
import { users } from "./users.ts";

/** Every endpoint of the API by resource and operation. */
export const api = {
  accounts,
  users,
  conversations,
  messages,
  fields,
  agents,
  groups,
  channels,
  roles,
  csat,
  images,
  files,
  outbound,
  reports,
  metrics,
  businessHours,
  stream,
  search,
};
export type Api = typeof api;

/** Description of each resource, for the reference. */
export const RESOURCE_DESCRIPTIONS = {
  accounts: "The account that the token belongs to.",
  users: "The customers of the business.",
  conversations: "Conversations between customers and the business: assign, resolve and reopen them.",
  messages: "The messages of a conversation.",
  fields: "The properties that conversations can have.",
  agents: "The people who answer customers, and their statuses.",
  groups: "Groups of agents.",
  channels: "Channels, also called topics: what a conversation is about.",
  roles: "The roles of agents.",
  csat: "Ratings by customers.",
  images: "Pictures for messages.",
  files: "Files for messages.",
  outbound: "Template messages to customers over a chat app, and their statuses.",
  reports: "Raw reports as CSV files.",
  metrics: "Metrics of conversations and teams.",
  businessHours: "Business hours of the account and its groups.",
  stream: "Events of the account as they happen.",
  search: "Search by words.",
} as const satisfies Readonly<Record<keyof Api, string>>;

/** Lists every row of a table of endpoints with its resource and operation. */
export const rowsOf = (table: Readonly<Record<string, Readonly<Record<string, Endpoint>>>> = api) =>
  Object.entries(table).flatMap(([resource, rows]) =>
    Object.entries(rows).map(([operation, row]) => ({ resource, operation, row })),
  );

/** The version segment of every path. @spec Versioning */
export const BASE_PATH = "/v2";

/**
 * The base path of an account. An account of a suite has its own base path, which ends with the version segment.
 * @spec What the service does
 * @assumed `/suite/<account>/v2` for an account of a suite, which can use the plain `/v2` too.
 */
export const basePathOf = (account: { readonly name: string; readonly bundle_id: number }): string =>
  account.bundle_id === 0 ? BASE_PATH : `/suite/${account.name}${BASE_PATH}`;
