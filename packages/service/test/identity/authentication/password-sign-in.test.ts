import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { SignInResult } from "@parley/contract";
import { statement } from "@parley/database";
import { realPorts } from "../../../src/index.ts";
import { createPasswords, type PasswordHashing } from "../../../src/identity/authentication/credentials/passwords.ts";
import { CHEAP_HASHING } from "../../cheap-hashing.ts";
import { PASSWORD, sessionHarness, type PageRequest, type SessionHarness } from "./session-harness.ts";
import { untilQuarterMs } from "../../quarter-hour.ts";

const WINDOW_MS = 15 * 60_000;
const ALL_PASSWORDS = statement("", "select password_hash from agent_credentials where password_hash is not null");

/** Kind and parameters of a stored hash. */
const parametersOf = (stored: string) => /^\$argon2id\$v=\d+\$[\w=,]+/.exec(stored)?.[0];
/** Computations of argon2, in their order. */
const computations: string[] = [];
const passwordHashing: PasswordHashing = {
  hash(password, parameters) {
    computations.push("hash");
    return CHEAP_HASHING.hash(password, parameters);
  },
  verify(stored, password) {
    computations.push(`verify ${parametersOf(stored)}`);
    return CHEAP_HASHING.verify(stored, password);
  },
};

let s: SessionHarness;
let offsetMs = untilQuarterMs();
beforeAll(async () => {
  s = await sessionHarness({
    ports: { now: () => new Date(realPorts.now().getTime() + offsetMs) },
    config: { trustedProxies: ["127.0.0.1"] },
    passwordHashing,
  });
  await s.signIn("olivia@acme.example");
});
afterAll(() => s.close());
beforeEach(() => {
  offsetMs += WINDOW_MS;
});

const attempt = (body: object, asked: PageRequest = {}, harness = s) =>
  harness.page<SignInResult>("POST", "/identity/sign-in", {
    ...asked,
    body: { account: "acme", email: "olivia@acme.example", password: PASSWORD, ...body },
  });
const from = (address: string): PageRequest => ({ headers: { "x-forwarded-for": address } });

describe("POST /identity/sign-in", () => {
  test("POST /identity/sign-in 200 signs in, whatever the case of the address and the account", async () => {
    const { code, body } = await attempt({ account: "ACME", email: "Olivia@Acme.Example" });
    expect([code, body.session?.email, body.session?.method]).toEqual([200, "olivia@acme.example", "password"]);
    expect(body.session_token).toMatch(/^[\w-]{43}$/);
  });

  test("POST /identity/sign-in SIGN_IN_FAILED with the same answer for every reason", async () => {
    const { id } = await s.client.agents.createAgent({ body: { email: "never@acme.example" } });
    await s.client.agents.createAgent({ body: { email: "gone@acme.example" } });
    await s.signIn("gone@acme.example");
    const { agents } = await s.client.agents.listAgents({ query: { items_per_page: 100 } });
    const gone = agents.find(({ email }) => email === "gone@acme.example")?.id ?? "";
    await s.adminRequest("PUT", `/admin/accounts/acme/agents/${gone}`, { is_deactivated: true });
    expect(id).toBeTruthy();
    const answers = await Promise.all(
      [
        { password: "a wrong password" },
        { password: "" },
        { email: "nobody@acme.example" },
        { email: "never@acme.example" },
        { email: "gone@acme.example" },
        { account: "none" },
        { account: "solo" },
        { account: undefined },
        { email: "%" },
        { email: "o'livia@acme.example" },
      ].map(async (body) => {
        const { code, headers, body: reply } = await attempt(body);
        return [code, headers.getSetCookie(), reply];
      }),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject([401, [], { status: "SIGN_IN_FAILED" }]);
  });

  test.each([
    ["no body", undefined],
    ["a password of another type", { password: 12345678901 }],
    ["no e-mail address", { email: undefined }],
    ["a password of 2,000 characters", { password: "x".repeat(2_000) }],
    ["an e-mail address of 300 characters", { email: `${"x".repeat(300)}@acme.example` }],
  ])("POST /identity/sign-in 400 for %s", async (_, body) => {
    const reply = body === undefined ? await s.page("POST", "/identity/sign-in") : await attempt(body);
    expect(reply.code).toBe(400);
  });
});

describe("guessing passwords", () => {
  test("POST /identity/sign-in TOO_MANY_SIGN_INS after twenty failures for one agent, from any addresses, also with the right password", async () => {
    const statuses: (string | undefined)[] = [];
    for (let count = 0; count < 21; count++)
      statuses.push((await attempt({ password: `wrong ${count}` }, from(`203.0.113.${count}`))).body.status);
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => "SIGN_IN_FAILED"), "TOO_MANY_SIGN_INS"]);
    const right = await attempt({}, from("203.0.113.99"));
    expect([right.code, right.body.status]).toEqual([429, "TOO_MANY_SIGN_INS"]);
    expect(Number(right.headers.get("retry-after"))).toBeGreaterThan(0);
    offsetMs += WINDOW_MS;
    expect((await attempt({}, from("203.0.113.99"))).code).toBe(200);
  });

  test("is limited equally for addresses that belong to nobody", async () => {
    let last: string | undefined;
    for (let count = 0; count < 21; count++)
      last = (await attempt({ email: "nobody@acme.example" }, from(`203.0.113.${count}`))).body.status;
    expect(last).toBe("TOO_MANY_SIGN_INS");
  });

  test("is limited to a hundred failures from one address, over all agents", async () => {
    const statuses: (string | undefined)[] = [];
    for (let count = 0; count < 101; count++)
      statuses.push((await attempt({ email: `agent${count}@acme.example` }, from("198.51.100.7"))).body.status);
    expect([statuses.at(-2), statuses.at(-1)]).toEqual(["SIGN_IN_FAILED", "TOO_MANY_SIGN_INS"]);
    expect((await attempt({}, from("198.51.100.7"))).code).toBe(429);
    expect((await attempt({}, from("198.51.100.8"))).code).toBe(200);
  });

  test("can't exceed the limit by simultaneous attempts", async () => {
    const all = await Promise.all(
      Array.from({ length: 60 }, (_, count) => attempt({ password: `wrong ${count}` }, from(`203.0.113.${count}`))),
    );
    expect(all.filter(({ body }) => body.status === "SIGN_IN_FAILED")).toHaveLength(20);
  });

  test("does not count successful sign-ins", async () => {
    for (let count = 0; count < 25; count++) expect((await attempt({}, from("203.0.113.1"))).code).toBe(200);
  });

  test.each([
    ["a wrong password", { password: "a wrong password" }],
    ["an unknown address", { email: "nobody@acme.example" }],
    ["an agent without a password", { email: "never@acme.example" }],
    ["an unknown account", { account: "none" }],
  ])("does the same computation of argon2 for every reason: %s", async (_, body) => {
    computations.length = 0;
    expect((await attempt(body)).body.status).toBe("SIGN_IN_FAILED");
    expect(computations).toEqual(["verify $argon2id$v=19$m=76,t=2,p=1"]);
  });
});

test("passwords are stored as argon2id with 19 MiB and two passes", async () => {
  expect(parametersOf(await createPasswords().hash(PASSWORD))).toBe("$argon2id$v=19$m=19456,t=2,p=1");
  const pool = s.database.pool("parley_service", { max: 1 });
  const rows = await pool.rows<{ password_hash: string }>(ALL_PASSWORDS, []);
  await pool.end();
  expect(rows.length).toBeGreaterThan(0);
  // The harness divides the memory.
  for (const { password_hash } of rows) expect(parametersOf(password_hash)).toBe("$argon2id$v=19$m=76,t=2,p=1");
});

test("no other package and no setting chooses how passwords are hashed", async () => {
  const packages = fileURLToPath(new URL("../../../../", import.meta.url));
  const naming: string[] = [];
  for (const name of await readdir(packages))
    for (const entry of await readdir(join(packages, name, "src"), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (!entry.isFile() || !/passwordHashing/i.test(await readFile(path, "utf8"))) continue;
      naming.push(relative(packages, path));
    }
  expect(naming.sort()).toEqual([
    "service/src/identity/authentication/authentication.ts",
    "service/src/identity/authentication/credentials/passwords.ts",
    "service/src/identity/module.ts",
    "service/src/service.ts",
  ]);
});

test("a client's own X-Forwarded-For header has no effect on a service without trusted proxies", async () => {
  const aheadMs = untilQuarterMs();
  const plain = await sessionHarness({ ports: { now: () => new Date(Date.now() + aheadMs) } });
  try {
    const statuses: (string | undefined)[] = [];
    for (let count = 0; count < 101; count++)
      statuses.push(
        (
          await plain.page("POST", "/identity/sign-in", {
            body: { account: "acme", email: `agent${count}@acme.example`, password: "wrong password" },
            headers: { "x-forwarded-for": `203.0.113.${count}` },
          })
        ).body.status,
      );
    expect(statuses.at(-1)).toBe("TOO_MANY_SIGN_INS");
  } finally {
    await plain.close();
  }
});

test("GET /identity/sign-in-methods 200 is the same for an unknown account", async () => {
  const methods = async (query: string) => (await s.page("GET", `/identity/sign-in-methods${query}`)).body;
  expect(await methods("?account=acme")).toEqual({ sends_mail: false, identity_providers: [] });
  expect(await methods("?account=none")).toEqual(await methods("?account=acme"));
  expect(await methods("")).toEqual(await methods("?account=acme"));
});

describe("changing the own password", () => {
  const change = (session: { cookie: string; token: string }, body: object) =>
    s.page("PUT", "/identity/password", { session, body });

  test("PUT /identity/password 200 with the current one; other sessions end, this one stays", async () => {
    const session = await s.signIn("noah@acme.example");
    const next = "another good passphrase";
    expect((await change(session, { current_password: PASSWORD, password: next })).code).toBe(200);
    expect((await s.page("GET", "/identity/session", { session })).code).toBe(200);
    expect((await attempt({ email: "noah@acme.example" })).code).toBe(401);
    expect((await attempt({ email: "noah@acme.example", password: next })).code).toBe(200);
  });

  test("PUT /identity/password SIGN_IN_FAILED without the current one, and with a wrong one", async () => {
    const session = await s.signIn("maya@acme.example");
    for (const current_password of [undefined, "wrong password"]) {
      const { code, body } = await change(session, { current_password, password: "another good passphrase" });
      expect([code, body.status]).toEqual([401, "SIGN_IN_FAILED"]);
    }
    expect((await attempt({ email: "maya@acme.example" })).code).toBe(200);
  });

  test("PUT /identity/password TOO_MANY_SIGN_INS, POST /identity/second-factor TOO_MANY_SIGN_INS: the current one can't be guessed by a stolen session", async () => {
    const session = await s.signIn("maya@acme.example");
    let last: string | undefined;
    for (let count = 0; count < 21; count++)
      last = (await change(session, { current_password: `wrong ${count}`, password: "another good passphrase" })).body
        .status;
    expect(last).toBe("TOO_MANY_SIGN_INS");
    const { body } = await s.page("POST", "/identity/second-factor", { session, body: { current_password: PASSWORD } });
    expect(body.status).toBe("TOO_MANY_SIGN_INS");
  });

  test.each([
    ["short", "at least 10 characters"],
    ["x".repeat(257), "at most 256 characters"],
    ["password123", "too easy to guess"],
    ["aaaaaaaaaaaa", "too easy to guess"],
    ["maya@acme.example", "must differ from the e-mail address"],
  ])("PUT /identity/password PASSWORD_NOT_ACCEPTED for %s", async (password, reason) => {
    const session = await s.signIn("maya@acme.example");
    const { code, body } = await change(session, { current_password: PASSWORD, password });
    expect([code, body.status, body.message]).toEqual([400, "PASSWORD_NOT_ACCEPTED", expect.stringContaining(reason)]);
  });

  test.each(["пароль-из-слов", "パスワードは長いほうがよいです", "  spaces  count  ", "🐎🔋📎🧷🐎🔋📎🧷🐎🔋"])(
    "takes %s",
    async (password) => {
      const session = await s.signIn("maya@acme.example");
      expect((await change(session, { current_password: PASSWORD, password })).code).toBe(200);
      expect((await attempt({ email: "maya@acme.example", password })).code).toBe(200);
    },
  );
});
