import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { PERMISSIONS, problemsOf, type Endpoint, type Permission } from "@parley/contract";
import { ENDPOINTS, endpointHarness, UNKNOWN_ID, type EndpointHarness } from "./endpoint-harness.ts";

let s: EndpointHarness;
let time = Date.now();
const tokens = new Map<string, string>();
const issue = async (name: string, options: { permissions?: readonly Permission[]; lifetimeSeconds?: number } = {}) => {
  const issued = await s.admin.issueToken({ account: "acme", name, ...options });
  tokens.set(name, issued.token);
  return issued;
};

beforeAll(async () => {
  s = await endpointHarness({ ports: { now: () => new Date(time) } });
  await issue("expired", { lifetimeSeconds: 60 });
  const revoked = await issue("revoked");
  for (const permission of PERMISSIONS) {
    await issue(`only ${permission}`, { permissions: [permission] });
    await issue(`without ${permission}`, { permissions: PERMISSIONS.filter((each) => each !== permission) });
  }
  await issue("nothing", { permissions: [] });
  time += 61_000;
  await s.admin.revokeToken(revoked.id);
});
afterAll(() => s.close());

/** Only nonexistent ids, so that an accepted request changes nothing. */
const UNKNOWN_IDS = {
  user_id: UNKNOWN_ID,
  agent_id: UNKNOWN_ID,
  conversation_id: UNKNOWN_ID,
  report_id: UNKNOWN_ID,
  provider: "none",
};
const documented = (row: Endpoint) => [String(row.reply.code), ...problemsOf(row).map(({ status }) => status)];

test("each endpoint requires a permission, except the stream and the search, which require those of what they return", () => {
  const unrestricted = ENDPOINTS.filter(([, { access }]) => access.token === null || access.token === undefined);
  expect(unrestricted.map(([route]) => route)).toEqual(["GET /stream", "GET /search"]);
});

describe("a request without valid credentials is 401:", () => {
  const CASES: [string, (token: string) => Readonly<Record<string, string>>][] = [
    ["no token", () => ({})],
    ["an empty header", () => ({ authorization: "" })],
    ["a scheme and no token", () => ({ authorization: "Bearer" })],
    ["a token and no scheme", (token) => ({ authorization: token })],
    ["another scheme", (token) => ({ authorization: `Basic ${Buffer.from(`${token}:`).toString("base64")}` })],
    ["two tokens", (token) => ({ authorization: `Bearer ${token} ${token}` })],
    ["a token cut short", (token) => ({ authorization: `Bearer ${token.slice(0, -1)}` })],
    ["signs that no token has", () => ({ authorization: "Bearer ' or 1=1 --" })],
    ["a token that nobody issued", () => ({ authorization: `Bearer parley_${"A".repeat(43)}` })],
    ["an expired token", () => ({ authorization: `Bearer ${tokens.get("expired") ?? ""}` })],
    ["a revoked token", () => ({ authorization: `Bearer ${tokens.get("revoked") ?? ""}` })],
    ["a token in the address", () => ({})],
  ];
  describe.each(CASES)("%s", (name, headersOf) => {
    test.each(ENDPOINTS)("%s", async (_, row) => {
      const query: Record<string, string> = name === "a token in the address" ? { access_token: s.token } : {};
      const response = await s.sendRequest(row, { token: "", headers: headersOf(s.token), query });
      expect([response.code, response.status]).toEqual([401, "UNAUTHENTICATED"]);
    });
  });
});

describe("a token permits exactly its permissions:", () => {
  test.each(ENDPOINTS)("%s", async (route, row) => {
    const permission = row.access.token;
    const ask = (token: string) => s.sendRequest(row, { token: tokens.get(token) ?? "", params: UNKNOWN_IDS });
    if (permission === null || permission === undefined) {
      // Each kind of event of a stream has its own permission.
      const token = row.reply.type === "text/event-stream" ? "only user:read" : "nothing";
      const valid = { ...s.validRequests.get(route), token: tokens.get(token) ?? "" };
      expect((await s.sendRequest(row, valid)).code).toBe(row.reply.code);
      return;
    }
    for (const token of ["nothing", `without ${permission}`]) {
      const response = await ask(token);
      expect([response.code, response.status]).toEqual([403, "FORBIDDEN"]);
      expect(response.message).toContain(permission);
    }
    for (const other of PERMISSIONS.filter((each) => each !== permission))
      expect((await ask(`only ${other}`)).code).toBe(403);
    const response = await ask(`only ${permission}`);
    expect([401, 403]).not.toContain(response.code);
    expect(documented(row)).toContain(response.status || String(response.code));
  });

  test("each permission grants at least one endpoint", () => {
    const used = new Set(ENDPOINTS.map(([, row]) => row.access.token));
    expect(PERMISSIONS.filter((permission) => !used.has(permission))).toEqual([]);
  });
});

/** Endpoints whose path contains an id of acme. */
const NAMING = ENDPOINTS.filter(([route]) => /\{(?!provider)/.test(route));

describe("another account's token finds nothing of acme's and changes nothing:", () => {
  test.each(NAMING)("%s is 404, as for an unknown id", async (route, row) => {
    const before = await s.tableChecksums();
    const right = s.validRequests.get(route);
    const own = await s.sendRequest(row, { ...right, token: s.soloToken });
    expect(own.code).toBe(404);
    expect(row.problems?.map(({ status }) => status)).toContain(own.status);
    const unknown = await s.sendRequest(row, { ...right, token: s.soloToken, params: UNKNOWN_IDS });
    expect([unknown.code, unknown.status, unknown.message]).toEqual([own.code, own.status, own.message]);
    expect(await s.tableChecksums()).toEqual(before);
  });

  const LISTS = ENDPOINTS.filter(([route]) => /^GET [^{]*$/.test(route));
  test.each(LISTS)("%s contains none of it", async (route, row) => {
    const [mine, otherAccount] = await Promise.all(
      [s.soloToken, s.token].map((token) => s.sendRequest(row, { ...s.validRequests.get(route), token })),
    );
    expect([mine?.code, otherAccount?.code]).toEqual([200, 200]);
    const ids = [
      ...(otherAccount?.text ?? "").matchAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g),
    ];
    for (const [id] of ids) expect(mine?.text).not.toContain(id);
    for (const id of Object.values(s.existingIds).slice(0, 4)) expect(mine?.text).not.toContain(id);
  });

  test("POST /users/fetch finds none of acme's users", async () => {
    expect(await s.solo.users.fetchUsers({ body: { ids: [s.existingIds["user_id"] ?? ""] } })).toEqual({ users: [] });
  });

  test("GET /outbound-messages of acme's request is empty", async () => {
    const { outbound_messages } = await s.solo.outbound.listOutboundMessages({ query: { request_id: UNKNOWN_ID } });
    expect(outbound_messages).toEqual([]);
  });
});

describe("ids in a body must belong to the account:", () => {
  interface OtherAccountIds {
    readonly user: string;
    readonly channel: string;
    readonly conversation: string;
  }
  let otherAccount: OtherAccountIds;
  let acme: { agent: string; group: string; channel: string; user: string; role: string };
  beforeAll(async () => {
    const { solo, client } = s;
    const { id: user } = await solo.users.createUser({ body: { first_name: "Sol" } });
    const channel = (await solo.channels.listChannels()).channels[0]?.id ?? "";
    const message = { actor_type: "user" as const, actor_id: user, message_parts: [{ text: { content: "Hi" } }] };
    const body = { channel_id: channel, messages: [message], users: [{ id: user }] };
    const { conversation_id: conversation } = await solo.conversations.createConversation({ body });
    otherAccount = { user, channel, conversation };
    const { roles } = await client.roles.listRoles();
    acme = {
      agent: s.existingIds["agent_id"] ?? "",
      group: (await client.groups.listGroups()).groups[0]?.id ?? "",
      channel: (await client.channels.listChannels()).channels[0]?.id ?? "",
      user: s.existingIds["user_id"] ?? "",
      role: roles.find(({ is_custom_role }) => is_custom_role)?.id ?? "",
    };
  });
  const opening = (more: object, message: object = {}) => ({
    channel_id: otherAccount.channel,
    users: [{ id: otherAccount.user }],
    messages: [
      { actor_type: "user", actor_id: otherAccount.user, message_parts: [{ text: { content: "Hi" } }], ...message },
    ],
    ...more,
  });

  const CASES: [string, string, () => unknown, string][] = [
    ["a topic", "POST /conversations", () => opening({ channel_id: acme.channel }), "CHANNEL_NOT_FOUND"],
    [
      "a user",
      "POST /conversations",
      () => opening({ users: [{ id: acme.user }] }, { actor_type: "bot" }),
      "USER_NOT_FOUND",
    ],
    [
      "a sender",
      "POST /conversations",
      () => opening({}, { actor_type: "agent", actor_id: acme.agent }),
      "AGENT_NOT_FOUND",
    ],
    [
      "an agent",
      "POST /conversations",
      () => opening({ status: "assigned", assigned_agent_id: acme.agent }),
      "AGENT_NOT_FOUND",
    ],
    ["a group", "POST /conversations", () => opening({ assigned_group_id: acme.group }), "GROUP_NOT_FOUND"],
    [
      "an agent",
      "PUT /conversations/{conversation_id}",
      () => ({ status: "assigned", assigned_agent_id: acme.agent }),
      "AGENT_NOT_FOUND",
    ],
    [
      "a group",
      "PUT /conversations/{conversation_id}",
      () => ({ status: "assigned", assigned_group_id: acme.group }),
      "GROUP_NOT_FOUND",
    ],
    [
      "a sender",
      "POST /conversations/{conversation_id}/messages",
      () => ({ actor_type: "agent", actor_id: acme.agent, message_parts: [{ text: { content: "Hi" } }] }),
      "AGENT_NOT_FOUND",
    ],
    ["a group", "POST /agents", () => ({ email: "x@solo.example", groups: [acme.group] }), "GROUP_NOT_FOUND"],
    ["a role", "POST /agents", () => ({ email: "x@solo.example", role_id: acme.role }), "ROLE_NOT_FOUND"],
  ];
  test.each(CASES)("%s of acme's in %s", async (_, route, bodyOf, status) => {
    const row = ENDPOINTS.find(([each]) => each === route)?.[1] as Endpoint;
    const before = await s.tableChecksums();
    const params = { ...s.existingIds, conversation_id: otherAccount.conversation };
    const response = await s.sendRequest(row, { token: s.soloToken, params, body: bodyOf() });
    expect(response.status).toBe(status);
    expect(response.text).not.toMatch(/Zora/);
    expect(await s.tableChecksums()).toEqual(before);
  });
});
