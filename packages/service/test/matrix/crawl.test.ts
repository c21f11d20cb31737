import { afterAll, beforeAll, expect, test } from "@jest/globals";
import {
  admin,
  api,
  BASE_PATH,
  consoleApi,
  identity,
  messengerApi,
  platform,
  routeOf,
  rowsOf,
  transfer,
  type Endpoint,
} from "@parley/contract";
import { sessionHarness, type PageRequest, type SessionHarness } from "../identity/authentication/session-harness.ts";
import { asVisitor, createVisitor, type VisitorWithConversation } from "./visitor-fixture.ts";
import { createSessionFixture, signedInAgent, type SessionFixture } from "./session-fixture.ts";

let s: SessionHarness;
let fixture: SessionFixture;
let visitor: VisitorWithConversation;
beforeAll(async () => {
  s = await sessionHarness();
  fixture = await createSessionFixture(s);
  visitor = await createVisitor(s);
});
afterAll(() => s.close());

const patternOf = (base: string, row: Endpoint): string => {
  const { method, path } = routeOf(row);
  return `${method} ${base}${path.replace(/\{(\w+)\}/g, ":$1")}`;
};
/** Rows of the platform that a signed-in agent may ask: the service passes them on. */
const forwarded = Object.fromEntries(
  Object.entries<Endpoint>(platform).filter(([, { access }]) => access.session !== undefined),
);
/** Addresses with a row of the contract. */
const ROWS = new Set([
  ...rowsOf(api).map(({ row }) => patternOf(BASE_PATH, row)),
  ...rowsOf({ admin, transfer, ...identity, ...consoleApi, ...messengerApi, forwarded }).map(({ row }) =>
    patternOf("", row),
  ),
]);

/** Addresses without a row: what each one shows does not depend on who asks, or it authenticates its requests itself. */
const PUBLIC = [
  /^GET \/$/,
  /^GET \/(health|live|ready)$/,
  /^GET \/docs(\/|$)/,
  /^GET \/v2\/openapi\.json$/,
  /^GET \/admin\/openapi\.json$/,
  // Signed addresses of uploads and reports.
  /^GET \/(files|objects|images|reports)\//,
  // Signed reports of providers.
  /^POST \/outbound-callbacks\//,
  // Pages of people who sign in.
  /^(GET|POST) \/sign-in(\/|$)/,
  /^GET \/profile$/,
  // Leads to the profile where there is no console.
  /^GET \/console$/,
];

/** Every address as `METHOD /path`, with each method that has a route. HEAD is answered like GET. */
const everyAddress = (): string[] =>
  s.addresses.flatMap(({ path, methods }) =>
    methods.filter((method) => method !== "HEAD").map((method) => `${method} ${path}`),
  );

test("every address that the service answers has a row of the contract or is public by intention", () => {
  const unknown = everyAddress().filter(
    (address) => !ROWS.has(address) && !PUBLIC.some((pattern) => pattern.test(address)),
  );
  expect(unknown).toEqual([]);
});

test("every row of the contract is served", () => {
  const served = new Set(everyAddress());
  expect([...ROWS].filter((address) => !served.has(address))).toEqual([]);
});

/** What a response says, without times and without values that differ between two equal requests. */
const contentOf = ({ code, body }: { readonly code: number; readonly body: object }) =>
  JSON.stringify([code, body]).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "time");

test("an address without a row shows an agent of any role and scope what it shows to everybody", async () => {
  const addresses = everyAddress().filter((address) => !ROWS.has(address));
  expect(addresses.length).toBeGreaterThan(8);
  for (const address of addresses) {
    const [method = "", pattern = ""] = address.split(" ");
    const path = pattern.replace(/:\w+/g, "none").replace("*", "none");
    const ask = async (asked: PageRequest) => contentOf(await s.page(method, path, asked));
    const anonymous = await ask({});
    for (const { role, scope, session } of fixture.agents)
      expect([address, role, scope, await ask({ session })]).toEqual([address, role, scope, anonymous]);
  }
});

test("a row does not show an agent without its session's token more than to everybody", async () => {
  const { session } = signedInAgent(fixture, "ACCOUNT_ADMIN");
  for (const address of ROWS) {
    const [method = "", pattern = ""] = address.split(" ");
    const path = pattern.replace(":account", "acme").replace(/:\w+/g, "none");
    const ask = async (asked: PageRequest) => contentOf(await s.page(method, path, asked));
    const [anonymous, cookieOnly] = [await ask({}), await ask({ session: { cookie: session.cookie } })];
    const codeOf = (text: string) => (JSON.parse(text) as [number])[0];
    expect([address, codeOf(cookieOnly)]).toEqual([address, codeOf(anonymous)]);
  }
});

test("no response to an agent contains a customer outside of its scope, whatever list it asks for", async () => {
  const foreign = [fixture.elsewhere, fixture.unassigned].flatMap(({ conversation_id, user_id }) => [
    conversation_id,
    user_id,
  ]);
  const LISTS = [...ROWS].filter((address) => /^GET [^:]*$/.test(address) && !address.endsWith("/stream"));
  const asking = fixture.agents.filter(({ scope }) => scope !== "Global");
  for (const address of LISTS)
    for (const { role, scope, session } of asking) {
      const path = `${address.slice("GET ".length)}?created_from=2020-01-01T00:00:00.000Z&items_per_page=100`;
      const { body } = await s.page("GET", path, { session });
      const text = JSON.stringify(body);
      expect([address, role, scope, foreign.filter((id) => text.includes(id))]).toEqual([address, role, scope, []]);
    }
});

test.each(["%00", "a%00b", "%ED%A0%80", "%ff", "%zz"])(
  "no row of the console, the messenger and the sign-in answers %s in an address, or NUL in a body, with an internal error",
  async (piece) => {
    const { session } = signedInAgent(fixture, "ACCOUNT_ADMIN");
    const answers: unknown[] = [];
    for (const { row } of rowsOf({ ...identity, ...consoleApi, ...messengerApi, forwarded })) {
      const { method, path } = routeOf(row);
      const ask = async (at: string, body?: object) => {
        const caller = row.access.visitor ? asVisitor(visitor) : { session };
        const reply = await s.page<{ status?: string }>(method, at, { ...caller, ...(body && { body }) });
        if (reply.code >= 500 || reply.code < 400 || reply.body.status === undefined)
          answers.push([method, at, reply.code]);
      };
      if (path.includes("{")) await ask(path.replaceAll(/\{\w+\}/g, piece), row.body && {});
      const plain = path.replaceAll(/\{\w+\}/g, "none");
      if (row.query) await ask(`${plain}?${Object.keys(Reflect.get(row.query, "properties") as object)[0]}=${piece}`);
      const members = Object.keys((Reflect.get(row.body ?? {}, "properties") ?? {}) as object);
      for (const text of row.body ? ["\0", "\ud800"] : [])
        await ask(plain, Object.fromEntries(members.map((member) => [member, text])));
    }
    expect(answers).toEqual([]);
  },
);
