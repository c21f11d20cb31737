import "../browser-globals.ts";
import { expect, test } from "@jest/globals";
import { keyForm } from "../../src/administration/messenger/key-form.ts";
import { formProblemsOf, formValuesOf, recordOf } from "../../src/forms/schema-form.ts";

const PEM = "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----";
const named = { ...formValuesOf(keyForm), name: " Shop " };

test.each([
  ["a short secret", { ...named, kind: "own", secret: "short" }, "secret", "A secret has at least 32 characters."],
  [
    "a private key",
    { ...named, kind: "public", public_key: "-----BEGIN PRIVATE KEY-----" },
    "public_key",
    "private key",
  ],
  [
    "a certificate",
    { ...named, kind: "public", public_key: "-----BEGIN CERTIFICATE-----" },
    "public_key",
    "certificate",
  ],
  ["another text", { ...named, kind: "public", public_key: "ssh-rsa AAAA" }, "public_key", "BEGIN PUBLIC KEY"],
] as const)("%s is refused at its field", (_, values, field, reason) => {
  expect(formProblemsOf(keyForm, values)).toEqual({ [field]: expect.stringContaining(reason) });
});

test.each([
  ["a generated secret", named, { name: "Shop", algorithm: "HS256" }],
  [
    "an own secret, as it is",
    { ...named, kind: "own", secret: ` ${"s".repeat(40)}` },
    { name: "Shop", algorithm: "HS256", secret: ` ${"s".repeat(40)}` },
  ],
  [
    "a public key, without a secret that was entered before",
    { ...named, kind: "public", public_key: `${PEM}\n`, secret: "x" },
    { name: "Shop", algorithm: "RS256", public_key: PEM },
  ],
] as const)("%s is sent", (_, values, body) => {
  expect(formProblemsOf(keyForm, values)).toEqual({});
  expect(recordOf(keyForm, values)).toEqual(body);
});
