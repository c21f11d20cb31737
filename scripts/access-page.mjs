const REACH_TEXTS = {
  account: "any scope",
  some: "any scope but None",
  all: "Global",
  conversation: "the conversation is within the scope",
  user: "the user has a conversation within the scope",
  ownAgent: "the own agent, or any for ADMIN",
};
const VISITOR_TEXTS = { session: "yes", account: "yes", conversation: "the conversation is the visitor's" };
const tokenText = ({ isPublic, token }) =>
  isPublic ? "no credential" : token === undefined ? "–" : token === null ? "any" : `\`${token}\``;
const accessRow = ({ route, access }) =>
  `| \`${route}\` | ${tokenText(access)} | ${access.session?.role ?? "–"} | ${
    access.session ? REACH_TEXTS[access.session.reach] : "–"
  } | ${access.adminKey ? "yes" : "–"} | ${VISITOR_TEXTS[access.visitor] ?? "–"} |`;

/**
 * The page "Who may call what": the access rules of the contract.
 * @shape tables: title and contract rows of each section
 */
export const accessPage = (tables) =>
  [
    "# Who may call what",
    "",
    "See which credentials an endpoint accepts. This page is generated from the contract by `npm run docs`; the service enforces the same table.",
    "",
    "- **API token**: the permission that the token needs. [First steps with the API](api.md#tokens-and-permissions) explains tokens.",
    "- **Role** and **scope**: what the [session of a signed-in agent](../admins/sign-in.md) needs. A role may do what those before it may:",
    "  `AGENT`, `SUPER_USER`, `ADMIN`, `ACCOUNT_ADMIN`. A custom role counts as `AGENT`.",
    "- **Scope**: `None` reaches no conversation, `Me` those assigned to the agent, `Group` also those assigned to a group of the agent's,",
    "  `Global` all. A conversation or user outside of the scope is answered like one that does not exist.",
    "- **Admin key**: the key of the installation's operator.",
    "- **Visitor**: the session of a visitor of the [messenger](messenger.md), which reads and writes the conversations of its own user only.",
    "  Where the account requires [signed identities](signed-identities.md), it must be signed, except to end it.",
    "",
    "A session acts as its own agent only: it sends messages with `actor_type` `agent` and its own `actor_id`. It can neither change an agent with",
    "a higher role nor give such a role. Requests of sessions do not count against the account's hourly allowance; a session may send 1,200 a",
    "minute.",
    "",
    ...tables.flatMap(([title, rows]) => [
      `## ${title}`,
      "",
      "| endpoint | API token | role | scope | admin key | visitor |",
      "|---|---|---|---|---|---|",
      ...rows.map(accessRow),
      "",
    ]),
  ].join("\n");
