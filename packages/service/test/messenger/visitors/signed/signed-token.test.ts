import { constants, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { LIMITS, type SigningKey, type VisitorSession } from "@parley/contract";
import { outcome } from "../../../console/console-harness.ts";
import type { MessengerResponse } from "../../messenger-harness.ts";
import {
  hmacOf,
  newBrowserKey,
  pemOf,
  rawToken,
  rsaOf,
  rsaPair,
  signedHarness,
  tokenOf,
  TOKEN_SECONDS,
} from "./signing-fixture.ts";
import { fileFixture } from "../../../../../../test/support/file-fixture.ts";

type Claims = Readonly<Record<string, unknown>>;

let rsaKey: SigningKey;
/** The key of another account. */
let foreign: { readonly signing_key: SigningKey; readonly secret?: string };
const site = rsaPair();
const attacker = rsaPair();
const browser_key = newBrowserKey();
let uuid: string;
const s = fileFixture(signedHarness);
beforeAll(async () => {
  rsaKey = (await s.addKey({ name: "Portal", algorithm: "RS256", public_key: pemOf(site.publicKey) })).signing_key;
  foreign = await s.addKey({ name: "Other shop", algorithm: "HS256" }, "solo");
  uuid = await s.uuidOf(browser_key);
});
// So that the limit of refused tokens is not reached.
beforeEach(() => s.advance(3_600));

const right = (more: object = {}): Claims => ({
  freshchat_uuid: uuid,
  reference_id: "t-1",
  iat: s.seconds(),
  exp: s.seconds() + TOKEN_SECONDS,
  ...more,
});
const send = (token: string): Promise<MessengerResponse<VisitorSession>> => s.begin(token, { browser_key });
const REFUSED = "401 SIGNED_TOKEN_REFUSED";

describe("a right token is accepted:", () => {
  const RIGHT: readonly (readonly [title: string, token: () => string])[] = [
    ["HS256", () => tokenOf(right(), s.secret)],
    ["RS256", () => tokenOf(right(), site.privateKey)],
    ["HS256 with the kid of its key", () => tokenOf(right(), s.secret, { kid: s.key.id })],
    ["RS256 with the kid of its key", () => tokenOf(right(), site.privateKey, { kid: rsaKey.id })],
    ["without typ", () => rawToken({ alg: "HS256" }, right(), hmacOf(s.secret))],
    ["with a fingerprint of a certificate", () => tokenOf(right(), site.privateKey, { x5t: "abc" })],
    [
      "with claims that the service does not know",
      () => tokenOf(right({ iss: "shop", roles: ["a"], sub: 7 }), s.secret),
    ],
    ["with nulls and empty texts", () => tokenOf(right({ email: null, phone_number: "" }), s.secret)],
    ["with the UUID in capitals", () => tokenOf(right({ freshchat_uuid: uuid.toUpperCase() }), s.secret)],
    ["that began to hold a moment ago", () => tokenOf(right({ nbf: s.seconds() - 1 }), s.secret)],
    ["of a clock that is 50 s ahead", () => tokenOf(right({ iat: s.seconds() + 50, nbf: s.seconds() + 50 }), s.secret)],
    ["that ended 50 s ago", () => tokenOf(right({ iat: s.seconds() - 600, exp: s.seconds() - 50 }), s.secret)],
    ["of 24 hours", () => tokenOf(right({ exp: s.seconds() + 86_400 }), s.secret)],
    [
      "of 9 minutes ago without a UUID",
      () => tokenOf(right({ freshchat_uuid: undefined, iat: s.seconds() - 540 }), s.secret),
    ],
  ];
  test.each(RIGHT)("%s", async (_, token) => {
    expect(outcome(await send(token()))).toBe("201");
  });
});

/** Each of these tokens is right but for one thing. */
const WRONG: Readonly<Record<string, () => string>> = {
  // Keys.
  "another secret": () => tokenOf(right(), `${s.secret}x`),
  "the key of another account": () => tokenOf(right(), foreign.secret ?? ""),
  "the key and the kid of another account": () =>
    tokenOf(right(), foreign.secret ?? "", { kid: foreign.signing_key.id }),
  "an RSA key of the sender": () => tokenOf(right(), attacker.privateKey),
  "an unknown kid": () => tokenOf(right(), s.secret, { kid: "3d6f3f7e-0000-4000-8000-000000000000" }),
  "the kid of another key": () => tokenOf(right(), s.secret, { kid: rsaKey.id }),
  "a kid that is a path": () => tokenOf(right(), s.secret, { kid: "../../dev/null" }),
  "a kid that is a number": () => tokenOf(right(), s.secret, { kid: 1 }),
  "an empty secret": () => rawToken({ alg: "HS256", kid: "" }, right(), hmacOf("")),
  // Algorithms.
  "alg none without a signature": () => rawToken({ alg: "none" }, right(), () => Buffer.alloc(0)),
  "alg none with a signature": () => rawToken({ alg: "none" }, right(), hmacOf(s.secret)),
  "alg NONE": () => rawToken({ alg: "NONE" }, right(), hmacOf(s.secret)),
  "no alg": () => rawToken({ typ: "JWT" }, right(), hmacOf(s.secret)),
  "alg in a list": () => rawToken({ alg: ["HS256"] }, right(), hmacOf(s.secret)),
  "HS256 with the public RSA key as its secret": () => tokenOf(right(), pemOf(site.publicKey)),
  "HS256 with the trimmed public RSA key as its secret": () => tokenOf(right(), pemOf(site.publicKey).trim()),
  "HS256 with the bytes of the public RSA key as its secret": () =>
    tokenOf(right(), site.publicKey.export({ type: "spki", format: "der" })),
  "HS256 with the public RSA key as its secret, and the kid of the RSA key": () =>
    tokenOf(right(), pemOf(site.publicKey), { kid: rsaKey.id }),
  "RS256 in the header, signed with the secret": () =>
    rawToken({ alg: "RS256", kid: s.key.id }, right(), hmacOf(s.secret)),
  "RS256 with the kid of the secret": () => tokenOf(right(), site.privateKey, { kid: s.key.id }),
  HS384: () => rawToken({ alg: "HS384" }, right(), hmacOf(s.secret, "sha384")),
  HS512: () => rawToken({ alg: "HS512" }, right(), hmacOf(s.secret, "sha512")),
  RS384: () => rawToken({ alg: "RS384" }, right(), rsaOf(site.privateKey, "sha384")),
  RS512: () => rawToken({ alg: "RS512" }, right(), rsaOf(site.privateKey, "sha512")),
  PS256: () =>
    rawToken({ alg: "PS256" }, right(), (input) =>
      sign("sha256", Buffer.from(input), {
        key: site.privateKey,
        padding: constants.RSA_PKCS1_PSS_PADDING,
        saltLength: 32,
      }),
    ),
  ES256: () => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    return rawToken({ alg: "ES256" }, right(), (input) =>
      sign("sha256", Buffer.from(input), { key: privateKey, dsaEncoding: "ieee-p1363" }),
    );
  },
  // Headers that bring a key, or change what is signed.
  "jwk with the key of the sender": () =>
    tokenOf(right(), attacker.privateKey, { jwk: attacker.publicKey.export({ format: "jwk" }) }),
  "jwk in a token with the right signature": () =>
    tokenOf(right(), s.secret, { jwk: attacker.publicKey.export({ format: "jwk" }) }),
  jku: () => tokenOf(right(), attacker.privateKey, { jku: "https://keys.example/jwks.json" }),
  x5u: () => tokenOf(right(), s.secret, { x5u: "https://keys.example/certificate.pem" }),
  x5c: () => tokenOf(right(), attacker.privateKey, { x5c: ["MIIB"] }),
  "crit with a known name": () => tokenOf(right(), s.secret, { crit: ["exp"], exp: 1 }),
  "crit with an unknown name": () => tokenOf(right(), s.secret, { crit: ["http://shop.example/x"] }),
  "b64 false": () => tokenOf(right(), s.secret, { crit: ["b64"], b64: false }),
  zip: () => tokenOf(right(), s.secret, { zip: "DEF" }),
  // Form.
  "several signatures": () => {
    const [protectedHeader, payload, signature] = tokenOf(right(), s.secret).split(".");
    const one = { protected: protectedHeader, signature };
    return JSON.stringify({ payload, signatures: [one, one] });
  },
  "a payload that is sent elsewhere": () => tokenOf(right(), s.secret).replace(/\.[^.]+\./, ".."),
  "four parts": () => `${tokenOf(right(), s.secret)}.x`,
  "no signature": () => tokenOf(right(), s.secret).replace(/[^.]+$/, ""),
  "another form of the last character": () => {
    const token = tokenOf(right(), s.secret);
    const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const last = digits.indexOf(token.at(-1) ?? "");
    return token.slice(0, -1) + digits[last ^ 1];
  },
  "a padded signature": () => `${tokenOf(right(), s.secret)}=`,
  "a space behind it": () => `${tokenOf(right(), s.secret)} `,
  "Bearer before it": () => `Bearer ${tokenOf(right(), s.secret)}`,
  "a header that is not JSON": () => tokenOf(right(), s.secret).replace(/^[^.]+/, "eyJhbGciOiJIUzI1NiI"),
  "a payload that is a list": () => tokenOf([right()], s.secret),
  "a payload that is a text": () => rawToken({ alg: "HS256" }, '"t-1"', hmacOf(s.secret)),
  "a payload that is null": () => rawToken({ alg: "HS256" }, "null", hmacOf(s.secret)),
  // Times.
  "no exp": () => tokenOf(right({ exp: undefined }), s.secret),
  "no iat": () => tokenOf(right({ iat: undefined }), s.secret),
  "exp as a text": () => tokenOf(right({ exp: String(s.seconds() + 60) }), s.secret),
  "iat as a text": () => tokenOf(right({ iat: String(s.seconds()) }), s.secret),
  "exp in milliseconds": () => tokenOf(right({ exp: s.seconds() * 1_000 + 60_000 }), s.secret),
  "exp without an end": () =>
    rawToken({ alg: "HS256" }, JSON.stringify(right()).replace(/"exp":\d+/, '"exp":1e999'), hmacOf(s.secret)),
  "it ended 70 s ago": () => tokenOf(right({ iat: s.seconds() - 600, exp: s.seconds() - 70 }), s.secret),
  "it holds from 70 s ahead": () => tokenOf(right({ nbf: s.seconds() + 70 }), s.secret),
  "it was issued 70 s ahead": () => tokenOf(right({ iat: s.seconds() + 70 }), s.secret),
  "it ends before it was issued": () => tokenOf(right({ exp: s.seconds() - 1 }), s.secret),
  "it holds for more than 24 hours": () => tokenOf(right({ exp: s.seconds() + 86_401 }), s.secret),
  // Claims.
  "reference_id as a number": () => tokenOf(right({ reference_id: 7 }), s.secret),
  "reference_id as a list": () => tokenOf(right({ reference_id: ["t-1"] }), s.secret),
  "reference_id with NUL": () => tokenOf(right({ reference_id: "t\0" }), s.secret),
  "a reference_id that is too long": () =>
    tokenOf(right({ reference_id: "t".repeat(LIMITS.short_text_characters + 1) }), s.secret),
  "email as an object": () => tokenOf(right({ email: { toString: "x" } }), s.secret),
  "first_name as a number": () => tokenOf(right({ first_name: 1 }), s.secret),
  // Browsers.
  "the UUID of another browser": () =>
    tokenOf(right({ freshchat_uuid: "0b5d0c2e-6a0d-8b1f-9a55-3f0f8a5d7e11" }), s.secret),
  "the secret of the browser in place of its UUID": () => tokenOf(right({ freshchat_uuid: browser_key }), s.secret),
  "no UUID and no reference_id": () => tokenOf(right({ freshchat_uuid: undefined, reference_id: undefined }), s.secret),
  "no UUID, and issued 12 minutes ago": () =>
    tokenOf(right({ freshchat_uuid: undefined, iat: s.seconds() - 720 }), s.secret),
};

describe("POST /messenger/api/sessions/signed 401 SIGNED_TOKEN_REFUSED, with the same words and no new user:", () => {
  test.each(Object.entries(WRONG))("%s", async (_, token) => {
    const users = () => s.sql<{ count: string }>("select count(*) from users");
    const before = await users();
    const { code, body } = await send(token());
    expect([code, body]).toEqual([
      401,
      { code: 401, status: "SIGNED_TOKEN_REFUSED", message: "The signed token of the visitor was refused." },
    ]);
    expect(await users()).toEqual(before);
  });
});

test("POST /messenger/api/sessions/signed 401 NO_SIGNING_KEY: an account without a key", async () => {
  const { code } = await s.adminRequest(
    "DELETE",
    `/admin/accounts/solo/messenger/signing-keys/${foreign.signing_key.id}`,
  );
  expect(code).toBe(200);
  expect(outcome(await s.begin(tokenOf(right(), s.secret), { browser_key, account: "solo" }))).toBe(
    "401 NO_SIGNING_KEY",
  );
});

test("a token that holds only within the tolerated difference of the clocks holds for the rest of it", async () => {
  const exp = s.seconds() - 30;
  const { body } = await send(tokenOf(right({ iat: exp - 600, exp }), s.secret));
  expect(Date.parse(body.signed_until ?? "")).toBe((exp + 60) * 1_000);
  const later = s.seconds() + 600;
  const { body: usual } = await send(tokenOf(right({ exp: later }), s.secret));
  expect(Date.parse(usual.signed_until ?? "")).toBe(later * 1_000);
});

test("two keys are valid at once, and a removed key is refused: a site changes its key without a gap", async () => {
  const next: KeyObject = rsaPair().privateKey;
  const own = "a secret that the site brought from elsewhere";
  const { signing_key } = await s.addKey({ name: "Own secret", algorithm: "HS256", secret: own });
  expect(outcome(await send(tokenOf(right(), own)))).toBe("201");
  expect(outcome(await send(tokenOf(right(), s.secret)))).toBe("201");
  expect(await s.removeKey(signing_key.id)).toBe(200);
  expect(outcome(await send(tokenOf(right(), own)))).toBe(REFUSED);
  expect(outcome(await send(tokenOf(right(), next)))).toBe(REFUSED);
  expect(outcome(await send(tokenOf(right(), s.secret)))).toBe("201");
});

test("TOO_MANY_REQUESTS after 60 refused tokens of one address, also with the right token, for the rest of the hour", async () => {
  const outcomes: string[] = [];
  while (outcomes.length < 70 && outcomes.at(-1) !== "429 TOO_MANY_REQUESTS")
    outcomes.push(outcome(await send(tokenOf(right(), "wrong"))));
  expect(outcomes.at(-1)).toBe("429 TOO_MANY_REQUESTS");
  expect(outcomes.length).toBeGreaterThan(50);
  const reply = await send(tokenOf(right(), s.secret));
  expect([outcome(reply), Number(reply.headers.get("retry-after")) > 0]).toEqual(["429 TOO_MANY_REQUESTS", true]);
  s.advance(3_600);
  expect(outcome(await send(tokenOf(right(), s.secret)))).toBe("201");
});

test("no request of these tests was answered with an internal error", () => {
  expect(s.logLines.filter((line) => !line.includes("TOO_MANY_REQUESTS"))).toEqual([]);
});
