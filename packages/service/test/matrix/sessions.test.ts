import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  admin,
  AGENT_ROLES,
  api,
  BASE_PATH,
  consoleApi,
  identity,
  MESSENGER_API,
  messengerApi,
  rowsOf,
  routeOf,
  transfer,
  type Endpoint,
  type SessionAccess,
} from "@parley/contract";
import { sessionHarness, type PageRequest, type SessionHarness } from "../identity/authentication/session-harness.ts";
import { ADMIN_KEY } from "../operations/administration/endpoints/admin-harness.ts";
import { UNKNOWN_ID } from "./endpoint-harness.ts";
import { asVisitor, createVisitor, type VisitorWithConversation } from "./visitor-fixture.ts";
import { createSessionFixture, signedInAgent, type SessionFixture, type SignedInAgent } from "./session-fixture.ts";

let s: SessionHarness;
let fixture: SessionFixture;
let visitor: VisitorWithConversation;
beforeAll(async () => {
  s = await sessionHarness();
  fixture = await createSessionFixture(s);
  visitor = await createVisitor(s);
});
afterAll(() => s.close());

/** Every row of the contract that the service serves, with its complete path. */
const ROWS: readonly (readonly [route: string, row: Endpoint, base: string])[] = [
  ...rowsOf(api).map(({ row }) => [row.route, row, BASE_PATH] as const),
  ...rowsOf({ admin, transfer, ...identity, ...consoleApi, ...messengerApi }).map(
    ({ row }) => [row.route, row, ""] as const,
  ),
];

type Params = Readonly<Record<string, string>>;

/**
 * Sends a request whose query is not URL encoded. It is refused after the caller was admitted and before anything is done, so that each row can be
 * asked without changing anything.
 */
const ask = (row: Endpoint, base: string, params: Params, asked: PageRequest) => {
  const { method, path } = routeOf(row);
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? UNKNOWN_ID);
  const from = asked.headers?.["authorization"] === undefined ? {} : { origin: "" };
  return s.page(method, `${base}${place}?x=%zz`, { ...from, ...asked });
};
const ADMITTED = "400 INVALID_VALUE";
const outcomeOf = ({ code, body }: { readonly code: number; readonly body: { readonly status?: string } }) =>
  `${code} ${body.status}`;

/** What the documentation says about a role and a scope, written independently of the service's code. */
const expected = (
  session: SessionAccess | undefined,
  { role, scope }: Pick<SignedInAgent, "role" | "scope">,
  object: "own" | "inGroup" | "elsewhere" | "unassigned",
): string => {
  if (!session) return "403 FORBIDDEN";
  if (AGENT_ROLES.indexOf(role) < AGENT_ROLES.indexOf(session.role)) return "403 FORBIDDEN";
  const within = {
    None: [],
    Me: ["own"],
    Group: ["own", "inGroup"],
    Global: ["own", "inGroup", "elsewhere", "unassigned"],
  }[scope] as readonly string[];
  switch (session.reach) {
    case "account":
      return ADMITTED;
    case "some":
      return scope === "None" ? "403 FORBIDDEN" : ADMITTED;
    case "all":
      return scope === "Global" ? ADMITTED : "403 FORBIDDEN";
    case "ownAgent":
      return object === "own" || role === "ADMIN" || role === "ACCOUNT_ADMIN" ? ADMITTED : "403 FORBIDDEN";
    case "conversation":
      return within.includes(object) ? ADMITTED : "404 CONVERSATION_NOT_FOUND";
    case "user":
      return within.includes(object) ? ADMITTED : "404 USER_NOT_FOUND";
  }
};

const OBJECTS = ["own", "inGroup", "elsewhere", "unassigned"] as const;
const OBJECT_REACHES: readonly string[] = ["conversation", "user", "ownAgent"];

describe("an agent session is admitted exactly where its role and scope allow it:", () => {
  test.each(ROWS)("%s", async (_, row, base) => {
    const objects = OBJECT_REACHES.includes(row.access.session?.reach ?? "") ? OBJECTS : (["own"] as const);
    const [found, wanted]: [string[], string[]] = [[], []];
    for (const agent of fixture.agents)
      for (const object of objects) {
        const { conversation_id, user_id } = object === "own" ? agent.own : fixture[object];
        const agent_id = object === "own" ? agent.id : UNKNOWN_ID;
        const params = { account: "acme", conversation_id, user_id, agent_id };
        const place = `${agent.role} ${agent.scope} ${object}`;
        found.push(`${place}: ${outcomeOf(await ask(row, base, params, { session: agent.session }))}`);
        wanted.push(`${place}: ${row.access.isPublic ? ADMITTED : expected(row.access.session, agent, object)}`);
      }
    expect(found).toEqual(wanted);
  });
});

/** An account admin with the scope Global: it can do everything that a session can do. */
const owner = (): SignedInAgent => signedInAgent(fixture, "ACCOUNT_ADMIN");
const ownParams = (): Params => ({ account: "acme", agent_id: owner().id, ...owner().own });
const visitorParams = (): Params => ({
  account: "acme",
  conversation_id: visitor.conversationId,
  user_id: visitor.userId,
});

describe("a row accepts the kinds of credentials that it states, and no other:", () => {
  test.each(ROWS)("%s", async (_, row, base) => {
    const { access } = row;
    const at = async (asked: PageRequest) => outcomeOf(await ask(row, base, ownParams(), asked));
    const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
    const isAdmin = row.route.includes(" /admin/");
    const open = access.isPublic ? ADMITTED : undefined;
    const refusedToken = isAdmin ? "401 UNAUTHENTICATED" : "403 FORBIDDEN";
    expect({
      none: await at({}),
      token: open ?? (await at(bearer(s.token))),
      adminKey: open ?? (await at(bearer(ADMIN_KEY))),
      visitor: open ?? outcomeOf(await ask(row, base, visitorParams(), asVisitor(visitor))),
      session: await at({ session: owner().session }),
      cookieOnly: await at({ session: { cookie: owner().session.cookie } }),
      tokenOnly: await at({ session: { token: owner().session.token } }),
    }).toEqual({
      none: open ?? "401 UNAUTHENTICATED",
      token: open ?? (access.token === undefined ? refusedToken : ADMITTED),
      adminKey: open ?? (access.adminKey ? ADMITTED : "401 UNAUTHENTICATED"),
      visitor: open ?? (access.visitor ? ADMITTED : refusedToken),
      session: open ?? (access.session ? ADMITTED : "403 FORBIDDEN"),
      cookieOnly: open ?? "401 UNAUTHENTICATED",
      tokenOnly: open ?? "401 UNAUTHENTICATED",
    });
  });
});

describe("a visitor reaches its own conversation only:", () => {
  const CONVERSATION_ROWS = ROWS.filter(([, { access }]) => access.visitor === "conversation");
  let others: Record<string, string>;
  beforeAll(async () => {
    const [{ conversationId }] = [await createVisitor(s)];
    const ofOther = await s.page<{ freshchat_conversation_id: string }>("GET", `/v2/conversations/${conversationId}`, {
      headers: { authorization: `Bearer ${s.token}` },
    });
    others = {
      ofOtherVisitor: conversationId,
      ofOtherVisitorByNumber: ofOther.body.freshchat_conversation_id,
      ofUserOfTheApi: fixture.unassigned.conversation_id,
      ofOtherAccount: (await createVisitor(s, "solo")).conversationId,
      unknown: UNKNOWN_ID,
      malformed: "%00",
    };
  });
  test.each(CONVERSATION_ROWS)("%s", async (_, row, base) => {
    const at = async (conversation_id: string) =>
      outcomeOf(await ask(row, base, { conversation_id }, asVisitor(visitor)));
    expect(await at(visitor.conversationId)).toBe(ADMITTED);
    for (const [name, id] of Object.entries(others))
      expect([name, await at(id)]).toEqual([name, "404 CONVERSATION_NOT_FOUND"]);
  });
});

test("a visitor's token is refused after its session has ended, and with another prefix", async () => {
  const { token } = await createVisitor(s);
  const get = async (text: string) =>
    outcomeOf(await s.page("GET", "/messenger/api/visitor", asVisitor({ token: text })));
  const altered = [token.slice(0, -1), token.replace("visitor_", "parley_"), token.toUpperCase()];
  for (const text of altered) expect(await get(text)).toBe("401 UNAUTHENTICATED");
  expect((await s.page("DELETE", "/messenger/api/session", asVisitor({ token }))).code).toBe(204);
  expect(await get(token)).toBe("401 UNAUTHENTICATED");
});

describe("a session is not admitted from another page:", () => {
  const CHANGES = ROWS.filter(
    // Sites of any origin begin sessions of visitors, which no cookie identifies.
    ([route, { access }]) =>
      !route.startsWith("GET ") && !route.includes(MESSENGER_API) && (access.session || access.isPublic),
  );
  test.each(CHANGES)("%s", async (_, row, base) => {
    const { session } = owner();
    const { port } = new URL(s.origin);
    const outcomes: Record<string, string> = {};
    const origins = {
      exact: s.origin,
      none: "",
      null: "null",
      otherPort: s.origin.replace(port, "1"),
      otherScheme: s.origin.replace("http:", "https:"),
      otherHost: `http://localhost:${port}`,
      below: `http://frame.app-x.localhost:${port}`,
      elsewhere: "https://example.com",
      prefix: `${s.origin}.example.com`,
    };
    for (const [name, origin] of Object.entries(origins))
      outcomes[name] = outcomeOf(await ask(row, base, ownParams(), { session, origin }));
    const { exact, ...others } = outcomes;
    expect(exact).toBe(ADMITTED);
    expect([...new Set(Object.values(others))]).toEqual(["403 FORBIDDEN"]);
  });
});

test("a session reads nothing for a page of another origin, although browsers send its cookie from there", async () => {
  const { session } = owner();
  for (const origin of ["http://localhost:1", "null", "https://example.com"]) {
    const { code, body } = await s.page("GET", "/v2/agents", { session, origin: "", headers: { origin } });
    expect([code, body.status]).toEqual([403, "FORBIDDEN"]);
  }
});

test("a session of one account is refused at the addresses of another account", async () => {
  const { session } = owner();
  const ACCOUNT_ROWS = ROWS.filter(([route]) => route.includes("{account}"));
  for (const [route, row, base] of ACCOUNT_ROWS)
    expect([route, outcomeOf(await ask(row, base, { account: "solo" }, { session }))]).toEqual([
      route,
      "403 FORBIDDEN",
    ]);
  for (const [route, row, base] of ACCOUNT_ROWS)
    expect([route, outcomeOf(await ask(row, base, { account: "none" }, { session }))]).toEqual([
      route,
      "403 FORBIDDEN",
    ]);
});

/** Cells of the table that matter most, as a person would state them. */
describe.each([
  ["an agent can't create API tokens", "AGENT", "POST /admin/accounts/{account}/tokens", false],
  ["an admin can't create API tokens", "ADMIN", "POST /admin/accounts/{account}/tokens", false],
  ["an account admin can create API tokens", "ACCOUNT_ADMIN", "POST /admin/accounts/{account}/tokens", true],
  ["an agent can't change settings", "AGENT", "PUT /admin/accounts/{account}", false],
  ["an admin can change settings", "ADMIN", "PUT /admin/accounts/{account}", true],
  ["a super user can't create agents", "SUPER_USER", "POST /agents", false],
  ["an admin can create agents", "ADMIN", "POST /agents", true],
  ["an agent can't read metrics", "AGENT", "GET /metrics/instant", false],
  ["a super user can read metrics", "SUPER_USER", "GET /metrics/instant", true],
  ["an account admin can't list the accounts of the installation", "ACCOUNT_ADMIN", "GET /admin/accounts", false],
  ["an account admin can't export the data of the installation", "ACCOUNT_ADMIN", "GET /admin/export", false],
  [
    "an account admin can't rate a conversation in place of a customer",
    "ACCOUNT_ADMIN",
    "POST /csat/{conversation_id}",
    false,
  ],
  ["an agent can answer in its conversations", "AGENT", "POST /conversations/{conversation_id}/messages", true],
] as const)("%s", (_, role, route, isAdmitted) => {
  test(`${role} ${route}`, async () => {
    const [, row, base] = ROWS.find(([each]) => each === route) ?? [];
    const agent = signedInAgent(fixture, role);
    if (!row || base === undefined) throw new Error(`There is no ${route}.`);
    const params = { account: "acme", agent_id: agent.id, ...agent.own };
    const outcome = outcomeOf(await ask(row, base, params, { session: agent.session }));
    expect(outcome === ADMITTED).toBe(isAdmitted);
  });
});
