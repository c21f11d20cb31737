import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import { MESSENGER_LIMITS, type NewSigningKey, type SigningKey } from "@parley/contract";
import { outcome, type ConsoleAgent } from "../../../console/console-harness.ts";
import { newBrowserKey, pemOf, rsaPair, signedHarness, tokenOf } from "./signing-fixture.ts";
import { fileFixture } from "../../../../../../test/support/file-fixture.ts";

const s = fileFixture(signedHarness);

const KEYS = "/admin/accounts/acme/messenger/signing-keys";
const RULES = "/admin/accounts/acme/messenger/signed-identities";
const UNKNOWN = "/admin/accounts/unknown/messenger";
const list = async () => (await s.adminRequest<{ signing_keys: readonly SigningKey[] }>("GET", KEYS)).body.signing_keys;
const add = (body: object, path = KEYS) =>
  s.adminRequest<{ signing_key: SigningKey; secret?: string }>("POST", path, body);
const remove = (id: string) => s.adminRequest("DELETE", `${KEYS}/${id}`);
const putRules = (is_required: boolean, is_hidden_until_signed = false) =>
  s.adminRequest("PUT", RULES, { is_required, is_hidden_until_signed });
const hs = (more: Partial<NewSigningKey> = {}) => ({ name: "Shop", algorithm: "HS256" as const, ...more });
const rs = (public_key?: string) => ({
  name: "Portal",
  algorithm: "RS256" as const,
  ...(public_key !== undefined && { public_key }),
});
const OWN_SECRET = "a secret that the site brought from elsewhere";

test("GET /admin/accounts/{account}/messenger/signing-keys 200 and POST 201: the generated secret is shown once", async () => {
  const { code, body } = await add(hs({ name: "New shop" }));
  expect([code, body]).toEqual([
    201,
    {
      secret: expect.stringMatching(/^[\w-]{43}$/),
      signing_key: expect.objectContaining({ name: "New shop", algorithm: "HS256" }),
    },
  ]);
  const text = JSON.stringify(await list());
  expect(text).toContain(body.signing_key.id);
  expect(text).not.toContain(body.secret);
  await remove(body.signing_key.id);
});

test("POST /admin/accounts/{account}/messenger/signing-keys 201: a secret of the site is not shown at all, and stored encrypted", async () => {
  const { body } = await add(hs({ secret: OWN_SECRET }));
  expect(body.secret).toBeUndefined();
  const [row] = await s.sql<{ row: string }>(
    "select to_json(k)::text as row from messenger_signing_keys k where id = $1",
    [body.signing_key.id],
  );
  expect(row?.row).not.toContain(OWN_SECRET);
  await remove(body.signing_key.id);
});

test("a public key is shown, and the agent who added it", async () => {
  const public_key = pemOf(rsaPair().publicKey);
  const { session } = s.olivia;
  const { code, body } = await s.page<{ signing_key: SigningKey }>("POST", KEYS, {
    session,
    body: rs(` ${public_key}\n`),
  });
  expect([code, body.signing_key]).toEqual([
    201,
    expect.objectContaining({ public_key, created_by: "olivia@acme.example" }),
  ]);
  expect((await list()).find(({ id }) => id === s.key.id)?.created_by).toBeUndefined();
  expect((await remove(body.signing_key.id)).code).toBe(200);
});

const rsaPem = (type: "pkcs1" | "spki", modulusLength: number) =>
  generateKeyPairSync("rsa", { modulusLength }).publicKey.export({ type, format: "pem" }).toString();
const privatePem = (type: "pkcs1" | "pkcs8") => rsaPair().privateKey.export({ type, format: "pem" }).toString();
const CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----";

describe("POST /admin/accounts/{account}/messenger/signing-keys 400, and the message says what to do:", () => {
  const WRONG: readonly (readonly [title: string, body: () => object, message: RegExp])[] = [
    ["a private key", () => rs(privatePem("pkcs8")), /private key.*Make a new pair/],
    ["a private key of RSA", () => rs(privatePem("pkcs1")), /private key/],
    ["an encrypted private key", () => rs("-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n"), /private key/],
    ["a private key behind its public key", () => rs(pemOf(rsaPair().publicKey) + privatePem("pkcs8")), /private key/],
    ["a certificate", () => rs(CERTIFICATE), /openssl x509/],
    ["a chain of certificates", () => rs(`${CERTIFICATE}\n${CERTIFICATE}`), /openssl x509/],
    ["a public key in the form PKCS #1", () => rs(rsaPem("pkcs1", 2_048)), /-RSAPublicKey_in/],
    ["two public keys", () => rs(rsaPem("spki", 2_048).repeat(2)), /one RSA public key/],
    ["a key of 1024 bits", () => rs(rsaPem("spki", 1_024)), /1024 bits/],
    [
      "an exponent of 3",
      () => rs(pemOf(generateKeyPairSync("rsa", { modulusLength: 2_048, publicExponent: 3 }).publicKey)),
      /exponent/,
    ],
    [
      "a key of an elliptic curve",
      () => rs(pemOf(generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey)),
      /RSA public key/,
    ],
    ["PEM without a key", () => rs("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----"), /RSA public key/],
    ["no public key", () => rs(), /needs the public key/],
    ["a secret for RS256", () => ({ ...rs(), secret: OWN_SECRET }), /an RS256 key has none/],
    ["a public key for HS256", () => ({ ...hs(), public_key: rsaPem("spki", 2_048) }), /an HS256 key has none/],
    [
      "a public key as a secret",
      () => hs({ secret: rsaPem("spki", 2_048).replaceAll("\n", "") }),
      /belongs to the algorithm RS256/,
    ],
    ["a secret of 31 characters", () => hs({ secret: "0123456789abcdef0123456789abcde" }), /secret/],
    ["a secret with a line break at its end", () => hs({ secret: `${OWN_SECRET}\n` }), /spaces/],
    ["a secret of one repeated character", () => hs({ secret: "a".repeat(40) }), /repeats/],
    ["another algorithm", () => ({ name: "Shop", algorithm: "none" }), /algorithm/],
    ["a blank name", () => hs({ name: " " }), /name/],
  ];
  test.each(WRONG)("%s", async (_, body, message) => {
    const before = await list();
    const { code, body: refusal } = await add(body());
    expect([code, refusal.status, refusal.message]).toEqual([400, "INVALID_VALUE", expect.stringMatching(message)]);
    expect(await list()).toEqual(before);
  });
});

test("an account has at most 10 keys, also if several are added at the same moment", async () => {
  const replies = await Promise.all(Array.from({ length: 14 }, () => add(hs())));
  const added = replies.filter(({ code }) => code === 201);
  expect(await list()).toHaveLength(MESSENGER_LIMITS.signing_keys);
  expect(new Set(replies.filter(({ code }) => code !== 201).map(outcome))).toEqual(new Set(["400 INVALID_VALUE"]));
  for (const { body } of added) await remove(body.signing_key.id);
});

test("the time of the last use is noted, at most once an hour", async () => {
  const lastUse = async () => (await list()).find(({ id }) => id === s.key.id)?.last_used_time;
  expect(await lastUse()).toBeUndefined();
  await s.signVisitor({ reference_id: "k-1" });
  const first = await lastUse();
  expect(first).toBeDefined();
  s.advance(1_800);
  await s.signVisitor({ reference_id: "k-1" });
  expect(await lastUse()).toBe(first);
  s.advance(2_000);
  await s.signVisitor({ reference_id: "k-1" });
  expect(await lastUse()).not.toBe(first);
});

describe("DELETE /admin/accounts/{account}/messenger/signing-keys/{key_id}", () => {
  test("DELETE /admin/accounts/{account}/messenger/signing-keys/{key_id} 200 and 404 SIGNING_KEY_NOT_FOUND: removed once, an unknown one, one of another account", async () => {
    const { body } = await add(hs());
    expect((await remove(body.signing_key.id)).code).toBe(200);
    const foreign = await add(hs(), "/admin/accounts/solo/messenger/signing-keys");
    for (const id of [body.signing_key.id, foreign.body.signing_key.id, "none", "%00"])
      expect(outcome(await remove(id))).toBe("404 SIGNING_KEY_NOT_FOUND");
  });

  test("DELETE /admin/accounts/{account}/messenger/signing-keys/{key_id} 409 SIGNING_KEY_NEEDED: the last key while signed identities are required", async () => {
    const { body } = await add(hs());
    expect((await putRules(true)).code).toBe(200);
    expect((await remove(body.signing_key.id)).code).toBe(200);
    expect(outcome(await remove(s.key.id))).toBe("409 SIGNING_KEY_NEEDED");
    expect((await putRules(false)).code).toBe(200);
  });
});

test("GET /admin/accounts/{account}/messenger/signed-identities 200: nothing is required at first", async () => {
  const { code, body } = await s.adminRequest("GET", "/admin/accounts/solo/messenger/signed-identities");
  expect([code, body]).toEqual([200, { is_required: false, is_hidden_until_signed: false }]);
});

test("PUT /admin/accounts/{account}/messenger/signed-identities 200 and 409 SIGNING_KEY_NEEDED: required only with a key", async () => {
  const { body } = await s.adminRequest<{ signing_keys: readonly SigningKey[] }>(
    "GET",
    "/admin/accounts/solo/messenger/signing-keys",
  );
  const path = "/admin/accounts/solo/messenger";
  for (const { id } of body.signing_keys) await s.adminRequest("DELETE", `${path}/signing-keys/${id}`);
  const rules = { is_required: true, is_hidden_until_signed: false };
  expect(outcome(await s.adminRequest("PUT", `${path}/signed-identities`, rules))).toBe("409 SIGNING_KEY_NEEDED");
  await add(hs(), `${path}/signing-keys`);
  expect((await s.adminRequest("PUT", `${path}/signed-identities`, rules)).body).toEqual(rules);
  expect((await s.adminRequest("GET", `${path}/signed-identities`)).body).toEqual(rules);
  await s.adminRequest("PUT", `${path}/signed-identities`, { ...rules, is_required: false });
});

test("the messenger is hidden only where signed identities are required", async () => {
  expect(outcome(await putRules(false, true))).toBe("400 INVALID_VALUE");
  expect(outcome(await putRules(true, true))).toBe("200");
  expect(outcome(await putRules(false))).toBe("200");
});

test("the last key is not removed while signed identities are made required at the same moment", async () => {
  for (let round = 0; round < 5; round += 1) {
    const { body } = await add(hs(), "/admin/accounts/solo/messenger/signing-keys");
    const all = await s.adminRequest<{ signing_keys: readonly SigningKey[] }>(
      "GET",
      "/admin/accounts/solo/messenger/signing-keys",
    );
    for (const { id } of all.body.signing_keys.filter(({ id }) => id !== body.signing_key.id))
      await s.adminRequest("DELETE", `/admin/accounts/solo/messenger/signing-keys/${id}`);
    const path = "/admin/accounts/solo/messenger";
    const outcomes = await Promise.all([
      s.adminRequest("PUT", `${path}/signed-identities`, { is_required: true, is_hidden_until_signed: false }),
      s.adminRequest("DELETE", `${path}/signing-keys/${body.signing_key.id}`),
    ]);
    expect(outcomes.map(outcome).toSorted()).toEqual(["200", "409 SIGNING_KEY_NEEDED"]);
    await s.adminRequest("PUT", `${path}/signed-identities`, { is_required: false, is_hidden_until_signed: false });
  }
});

test.each([
  ["GET /admin/accounts/{account}/messenger/signing-keys 404 ACCOUNT_NOT_FOUND", "GET", "/signing-keys", undefined],
  ["POST /admin/accounts/{account}/messenger/signing-keys 404 ACCOUNT_NOT_FOUND", "POST", "/signing-keys", hs()],
  [
    "DELETE /admin/accounts/{account}/messenger/signing-keys/{key_id} 404 ACCOUNT_NOT_FOUND",
    "DELETE",
    "/signing-keys/x",
    undefined,
  ],
  [
    "GET /admin/accounts/{account}/messenger/signed-identities 404 ACCOUNT_NOT_FOUND",
    "GET",
    "/signed-identities",
    undefined,
  ],
  [
    "PUT /admin/accounts/{account}/messenger/signed-identities 404 ACCOUNT_NOT_FOUND",
    "PUT",
    "/signed-identities",
    { is_required: false, is_hidden_until_signed: false },
  ],
])("%s", async (_, method, path, body) => {
  expect(outcome(await s.adminRequest(method, UNKNOWN + path, body))).toBe("404 ACCOUNT_NOT_FOUND");
});

test("an admin reads the keys, an account admin changes them, another agent does neither", async () => {
  const at = async (agent: ConsoleAgent, method: string, body?: object) =>
    outcome(await s.page(method, KEYS, { session: agent.session, body }));
  expect([await at(s.noah, "GET"), await at(s.noah, "POST", hs())]).toEqual(["200", "403 FORBIDDEN"]);
  expect([await at(s.diego, "GET"), await at(s.diego, "POST", hs())]).toEqual(["403 FORBIDDEN", "403 FORBIDDEN"]);
});

test("a key that is removed while a token is checked begins no session that outlives it", async () => {
  const rounds = Array.from({ length: 8 }, async () => {
    const { body } = await add(hs({ secret: OWN_SECRET }), KEYS);
    const browser_key = newBrowserKey();
    const token = tokenOf(await s.claimsFor(browser_key, { reference_id: "k-2" }), OWN_SECRET, {
      kid: body.signing_key.id,
    });
    const [reply] = await Promise.all([s.begin(token, { browser_key }), remove(body.signing_key.id)]);
    return reply;
  });
  for (const { code, body } of await Promise.all(rounds)) {
    s.expireCaches();
    if (code === 201) expect((await s.request("GET", "/visitor", { token: body.token })).code).toBe(401);
    else expect(body.status).toMatch(/^(SIGNED_TOKEN_REFUSED)$/);
  }
  expect(await s.sql("select id from visitor_sessions where signing_key_id <> $1", [s.key.id])).toEqual([]);
});
