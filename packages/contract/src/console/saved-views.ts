import Type, { type Static } from "typebox";
import { StatusBody, VisibleText } from "../api/values.ts";
import { sessionsOf } from "../kernel/access.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { CONSOLE_API, INBOX_ORDERS, InboxFilter, SPEC_OF_CONSOLE } from "./inbox.ts";

/** Saved views that an agent, or an account, can have. */
export const SAVED_VIEWS_MAX = 100;

const viewFields = {
  name: VisibleText(80),
  filter: InboxFilter,
  order: Type.Enum([...INBOX_ORDERS]),
  is_shared: Type.Boolean({ description: "Whether all agents of the account see it." }),
};

/** A named filter of the inbox. */
export const SavedView = Type.Object(
  { id: Type.String(), owner_id: Type.String({ description: "The agent who created it." }), ...viewFields },
  { title: "SavedView" },
);
export type SavedView = Static<typeof SavedView>;

export const NewSavedView = Type.Object(viewFields, { title: "NewSavedView" });
export type NewSavedView = Static<typeof NewSavedView>;

export const VIEW_NOT_FOUND = problem({ code: 404, status: "VIEW_NOT_FOUND", message: "saved view not found" });
export const TOO_MANY_VIEWS = problem({
  code: 409,
  status: "TOO_MANY_VIEWS",
  message: `There are ${SAVED_VIEWS_MAX} saved views, the most that are kept.`,
  remedy: "Delete one that nobody uses.",
});
/** Changes of a shared view: by its owner, or with the role ADMIN or a higher role. Only the owner ends the sharing. */
export const NOT_THE_OWNER = problem({
  code: 403,
  status: "NOT_THE_OWNER",
  message: "Only its creator and admins can change what is shared with the account.",
});

const agents = { session: sessionsOf("AGENT", "account") };
const PATH = `${CONSOLE_API}/views` as const;

export const savedViews = {
  listViews: endpoint({
    route: `GET ${PATH}`,
    summary: "List the agent's saved views and those shared with the account, by name",
    spec: SPEC_OF_CONSOLE,
    access: agents,
    reply: { code: 200, body: Type.Object({ views: Type.Array(SavedView) }) },
  }),
  createView: endpoint({
    route: `POST ${PATH}`,
    summary: "Save a view",
    spec: SPEC_OF_CONSOLE,
    access: agents,
    body: NewSavedView,
    reply: { code: 201, body: SavedView },
    problems: [TOO_MANY_VIEWS],
  }),
  changeView: endpoint({
    route: `PUT ${PATH}/{view_id}`,
    summary: "Replace a saved view",
    spec: SPEC_OF_CONSOLE,
    access: agents,
    body: NewSavedView,
    reply: { code: 200, body: SavedView },
    problems: [VIEW_NOT_FOUND, NOT_THE_OWNER, TOO_MANY_VIEWS],
  }),
  deleteView: endpoint({
    route: `DELETE ${PATH}/{view_id}`,
    summary: "Delete a saved view",
    spec: SPEC_OF_CONSOLE,
    access: agents,
    reply: { code: 200, body: StatusBody },
    problems: [VIEW_NOT_FOUND, NOT_THE_OWNER],
  }),
};
