import Type, { type Static } from "typebox";
import { AgentStatus, Availability } from "../api/agents.ts";
import { Channel } from "../api/channels.ts";
import { Field } from "../api/fields.ts";
import { Group } from "../api/groups.ts";
import { SessionAgent } from "../identity/sessions.ts";
import { sessionsOf } from "../kernel/access.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { CONSOLE_API } from "./inbox.ts";

/** A colleague in lists and menus. Deactivated and deleted agents remain in the list, for the messages that they wrote. */
export const ListedAgent = Type.Object(
  {
    id: Type.String(),
    first_name: Type.Optional(Type.String()),
    last_name: Type.Optional(Type.String()),
    email: Type.String(),
    avatar_url: Type.Optional(Type.String()),
    groups: Type.Array(Type.String()),
    is_active: Type.Boolean(),
    availability_status: Availability,
    agent_status: Type.Optional(AgentStatus),
  },
  { title: "ListedAgent" },
);
export type ListedAgent = Static<typeof ListedAgent>;

/** Data that the console needs once, before it shows anything. */
export const Workspace = Type.Object(
  {
    account: Type.Object({
      name: Type.String(),
      domain: Type.String(),
      has_properties: Type.Boolean({ description: "Whether conversations have properties: on a suite account." }),
      is_demo: Type.Boolean({ description: "Whether the start created it with data of the demo." }),
      timezone: Type.String({ description: "That of the account's business hours; UTC without any." }),
    }),
    agent: SessionAgent,
    agents: Type.Array(ListedAgent),
    agent_statuses: Type.Array(AgentStatus),
    groups: Type.Array(Group),
    channels: Type.Array(Channel),
    fields: Type.Array(Field),
  },
  { title: "Workspace" },
);
export type Workspace = Static<typeof Workspace>;

/** Where the console shows an app: beside a conversation, in the composer, unseen, or as a page of its own. */
export const APP_PLACE_KINDS = ["sidebar", "editor", "background", "page", "panel"] as const;

/** An app that is installed on the account and has pages. */
export const ConsoleApp = Type.Object(
  {
    name: Type.String(),
    title: Type.String(),
    origin: Type.String({ description: "Origin of the page that contains the app's frames." }),
    places: Type.Array(
      Type.Object({
        id: Type.String(),
        kind: Type.Enum([...APP_PLACE_KINDS]),
        label: Type.String(),
        icon_url: Type.Optional(Type.String()),
      }),
    ),
  },
  { title: "ConsoleApp" },
);
export type ConsoleApp = Static<typeof ConsoleApp>;

export const workspace = {
  getWorkspace: endpoint({
    route: `GET ${CONSOLE_API}/workspace`,
    summary: "Get the signed-in agent, the colleagues, and what conversations refer to",
    spec: "Resources and their fields",
    access: { session: sessionsOf("AGENT", "account") },
    reply: { code: 200, body: Workspace },
  }),
  listConsoleApps: endpoint({
    route: `GET ${CONSOLE_API}/apps`,
    summary:
      "List the installed apps that have pages for the console; if is_complete is false, a platform did not answer and its apps are missing",
    spec: "Resources and their fields",
    access: { session: sessionsOf("AGENT", "some") },
    reply: { code: 200, body: Type.Object({ apps: Type.Array(ConsoleApp), is_complete: Type.Boolean() }) },
  }),
};
