import Type, { type Static } from "typebox";
import { LIMITS } from "../api/limits.ts";
import { StatusBody, Time, VisibleText } from "../api/values.ts";
import { sessionsOf } from "../kernel/access.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { CONSOLE_API, SPEC_OF_CONSOLE } from "./inbox.ts";
import { NOT_THE_OWNER } from "./saved-views.ts";

/** Reply templates that an agent, or an account, can have. */
export const REPLY_TEMPLATES_MAX = 500;

/** Placeholders of a template. The console replaces them when an agent inserts it; one without a value is left out. */
export const REPLY_PLACEHOLDERS = [
  "customer.first_name",
  "customer.last_name",
  "customer.email",
  "agent.first_name",
  "agent.last_name",
  "topic",
] as const;
export type ReplyPlaceholder = (typeof REPLY_PLACEHOLDERS)[number];

const templateFields = {
  name: VisibleText(80),
  shortcut: Type.Optional(
    Type.String({
      pattern: "^[a-z0-9-]{1,32}$",
      description: "Typed after a slash, it inserts the template.",
    }),
  ),
  text: VisibleText(LIMITS.text_characters, {
    description: `Can contain ${REPLY_PLACEHOLDERS.map((name) => `{{${name}}}`).join(", ")}.`,
  }),
  is_shared: Type.Boolean({ description: "Whether all agents of the account can use it." }),
};

/** A prepared reply. */
export const ReplyTemplate = Type.Object(
  { id: Type.String(), owner_id: Type.String(), ...templateFields, updated_time: Time },
  { title: "ReplyTemplate" },
);
export type ReplyTemplate = Static<typeof ReplyTemplate>;

export const NewReplyTemplate = Type.Object(templateFields, { title: "NewReplyTemplate" });
export type NewReplyTemplate = Static<typeof NewReplyTemplate>;

export const REPLY_TEMPLATE_NOT_FOUND = problem({
  code: 404,
  status: "REPLY_TEMPLATE_NOT_FOUND",
  message: "reply template not found",
});
export const TOO_MANY_REPLY_TEMPLATES = problem({
  code: 409,
  status: "TOO_MANY_REPLY_TEMPLATES",
  message: `There are ${REPLY_TEMPLATES_MAX} reply templates, the most that are kept.`,
  remedy: "Delete one that nobody uses.",
});
/** Among the agent's own and the shared templates. */
export const SHORTCUT_TAKEN = problem({
  code: 409,
  status: "SHORTCUT_TAKEN",
  message: "Another reply template has this shortcut.",
});

const agents = { session: sessionsOf("AGENT", "account") };
const PATH = `${CONSOLE_API}/reply-templates` as const;

export const replyTemplates = {
  listReplyTemplates: endpoint({
    route: `GET ${PATH}`,
    summary: "List the agent's reply templates and those shared with the account, by name",
    spec: SPEC_OF_CONSOLE,
    access: agents,
    reply: { code: 200, body: Type.Object({ templates: Type.Array(ReplyTemplate) }) },
  }),
  createReplyTemplate: endpoint({
    route: `POST ${PATH}`,
    summary: "Create a reply template",
    spec: SPEC_OF_CONSOLE,
    access: agents,
    body: NewReplyTemplate,
    reply: { code: 201, body: ReplyTemplate },
    problems: [SHORTCUT_TAKEN, TOO_MANY_REPLY_TEMPLATES],
  }),
  changeReplyTemplate: endpoint({
    route: `PUT ${PATH}/{template_id}`,
    summary: "Replace a reply template",
    spec: SPEC_OF_CONSOLE,
    access: agents,
    body: NewReplyTemplate,
    reply: { code: 200, body: ReplyTemplate },
    problems: [REPLY_TEMPLATE_NOT_FOUND, NOT_THE_OWNER, SHORTCUT_TAKEN, TOO_MANY_REPLY_TEMPLATES],
  }),
  deleteReplyTemplate: endpoint({
    route: `DELETE ${PATH}/{template_id}`,
    summary: "Delete a reply template",
    spec: SPEC_OF_CONSOLE,
    access: agents,
    reply: { code: 200, body: StatusBody },
    problems: [REPLY_TEMPLATE_NOT_FOUND, NOT_THE_OWNER],
  }),
};
