import "../browser-globals.ts";
import { expect, test } from "@jest/globals";
import { keyProblemsOf, NEW_KEY_VALUES, newKeyOf } from "../../src/administration/messenger/key-values.ts";

const PEM = "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----";
const named = { ...NEW_KEY_VALUES, name: " Shop " };

test.each([
  ["no name", NEW_KEY_VALUES, "name", "Give the key a name."],
  ["a short secret", { ...named, kind: "own", secret: "short" }, "secret", "A secret has at least 32 characters."],
  ["a private key", { ...named, kind: "public", publicKey: "-----BEGIN PRIVATE KEY-----" }, "publicKey", "private key"],
  ["a certificate", { ...named, kind: "public", publicKey: "-----BEGIN CERTIFICATE-----" }, "publicKey", "certificate"],
  ["another text", { ...named, kind: "public", publicKey: "ssh-rsa AAAA" }, "publicKey", "BEGIN PUBLIC KEY"],
] as const)("%s is refused at its field", (_, values, field, reason) => {
  expect(keyProblemsOf(values)).toEqual({ [field]: expect.stringContaining(reason) });
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
    { ...named, kind: "public", publicKey: `${PEM}\n`, secret: "x" },
    { name: "Shop", algorithm: "RS256", public_key: PEM },
  ],
] as const)("%s is sent", (_, values, body) => {
  expect(keyProblemsOf(values)).toEqual({});
  expect(newKeyOf(values)).toEqual(body);
});
