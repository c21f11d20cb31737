/**
 * The sections of the specification, in order, each with a one-line summary and how much of it is implemented. `scripts/docs.mjs` joins
 * them with the `@spec` tags of the sources into docs/contributors/specification-map.md. A tag that names no section of this list is an
 * error.
 * @shape {name, says, implemented, packages?}: `packages` names the packages of a section without tags
 */
const OBJECTS = "Resources and their fields";
const STATES = "States and transitions";
const ENDPOINTS = "Endpoints";

const objects = [
  ["Conventions", "Formats of times and ids, and the shape `{code, status, message}` of message responses.", "All."],
  [
    "Pagination parameters (list endpoints)",
    "`page`, `items_per_page`, `sort_order`, `sort_by`; the `pagination` and `links` objects of a list response.",
    "All. A page past the end is empty.",
  ],
  ["Account configuration object", "Ids, domain, plan, data center and product bundle of an account.", "All."],
  ["User object", "A customer of the business: identity, contact data, properties, social profiles.", "All."],
  [
    "Conversation object",
    "Status, channel, assignment, messages and properties; properties exist in suite accounts only.",
    "All. `skill_id` is carried without a meaning, as the specification gives it no meaning.",
  ],
  ["Message object", "Actor, type, parts, source, time and interaction of a message.", "All."],
  [
    "Message part object",
    "The keys of message and reply parts: text, image, file, buttons, lists, carousels, templates and so on.",
    "All. `attachment_input`, `reference` and `text_input` occur in responses only.",
  ],
  [
    "Conversation property field object",
    "Definition of a `cf_` field or of `priority`: type, choices, position.",
    "All.",
  ],
  ["Agent object", "An agent: identity, role, groups, availability, license, scope.", "All."],
  [
    "Agent status object",
    "Id, name and availability of a status that an agent can choose.",
    "All.",
    ["packages/contract", "packages/service"],
  ],
  ["Group object", "A group of agents with its routing type and logic.", "All."],
  ["Channel (topic) object", "A topic with icon, welcome message, tags and locale.", "All."],
  ["CSAT object", "Rating, feedback and resolution state that a customer gives an interaction.", "All."],
  ["Image object", "Address, size and thumbnail of an uploaded image.", "All."],
  ["Role object", "Id, name and description of a role.", "All."],
  [
    "Outbound message object",
    "A template message to a phone number: recipient, template, parameters, status, failure.",
    "All, with a sandbox provider or a provider of your own.",
  ],
  [
    "App installation parameters (iparams)",
    "Types, attributes, checks, callbacks, retrieval and secrecy of the parameters of an app's installation page.",
    "All 13 types, all attributes and callbacks.",
  ],
].map(([name, says, implemented, packages]) => ({ name: `${OBJECTS} > ${name}`, says, implemented, packages }));

const states = [
  [
    "Conversation status",
    "The table of transitions among `new`, `assigned`, `resolved` and `reopened`, with their effects.",
    "All.",
  ],
  ["Other state sets", "Availability of agents, statuses of outbound messages, deletions that answer 202.", "All."],
].map(([name, says, implemented]) => ({ name: `${STATES} > ${name}`, says, implemented }));

const api = ["packages/contract", "packages/service"];
const endpoints = [
  ["Accounts", "`GET /accounts/configuration`.", "All."],
  ["Users", "Create, list by filters, fetch by ids, read, update and delete users; their conversations.", "All."],
  [
    "Conversations",
    "Create, read and update conversations; list and send messages; list property fields.",
    "All. `ASSUME-IDENTITY` is accepted and has no effect, as the specification describes no effect.",
  ],
  ["Agents", "List, create, read, update and delete agents; set a status; list statuses.", "All."],
  ["Groups, channels, roles", "List groups, channels (by locale) and roles.", "All."],
  ["CSAT", "`POST /csat/{conversation_id}`.", "All, by POST."],
  ["Images", "`POST /images/upload`.", "All; also `POST /files/upload`, which public clients use."],
  [
    "Outbound messages",
    "Send template messages through a provider; list them by request.",
    "All; also the name `whatsapp` of the provider.",
  ],
  [
    "Reports",
    "`POST /reports/raw`; its body and response are not specified.",
    "15 events, after what public clients ask for; also metrics and business hours, which the specification does not list.",
  ],
].map(([name, says, implemented]) => ({ name: `${ENDPOINTS} > ${name}`, says, implemented, packages: api }));

export const SECTIONS = [
  {
    name: "What the service does",
    says: "Purpose, resources, JSON, and the addresses of stand-alone accounts, suite accounts and outbound messages.",
    implemented: "All.",
  },
  ...objects,
  ...states,
  ...endpoints,
  {
    name: "Authentication",
    says: "Bearer tokens with permissions and a lifetime; the common request headers.",
    implemented: 'All. Tokens are created by `parley token create` and on the page "API tokens" of the console.',
  },
  {
    name: "Events",
    says: "Webhook kinds and payloads are not specified; installation pages emit `change`; outbound statuses change.",
    implemented: "All; also webhooks, an event stream and product events of apps, after what public clients read.",
    packages: ["packages/service", "packages/framework"],
  },
  {
    name: "Errors",
    says: "Status codes, the body `{code, status, message}`, and the fields of refused messages.",
    implemented: "All. The tokens that the specification leaves open are listed in errors.md.",
  },
  {
    name: "Limits",
    says: "The hourly allowance and its headers, page sizes, ids of a fetch, the wait after an unapproved template.",
    implemented: "All. The numbers by plan are ours.",
  },
  {
    name: "Versioning",
    says: "The path segment `/v2`; `template_data` is deprecated in favour of `rich_template_data`.",
    implemented: "All. Both template fields are accepted.",
  },
];
