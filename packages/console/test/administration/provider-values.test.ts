import "../browser-globals.ts";
import { expect, test } from "@jest/globals";
import {
  callbackOf,
  providerProblemsOf,
  providerSettingsOf,
} from "../../src/administration/identity-providers/provider-values.ts";

const valid = {
  name: "company",
  label: "Company",
  issuer: "https://login.example.com",
  clientId: "parley",
  secret: "",
};

test.each([
  [
    "name",
    "",
    "Use lower-case letters, digits and hyphens; begin and end with a letter or a digit; 63 characters at most.",
  ],
  [
    "name",
    "Company",
    "Use lower-case letters, digits and hyphens; begin and end with a letter or a digit; 63 characters at most.",
  ],
  ["name", "other", "Another provider has this name."],
  ["label", " ", "Enter a text for the button."],
  ["label", "x".repeat(256), "The text can have 255 characters."],
  ["issuer", "", "Enter the address of the provider."],
  ["issuer", "login.example.com", "Enter an address that begins with https://, without ? and #."],
  ["issuer", "https://login.example.com/?a=b", "Enter an address that begins with https://, without ? and #."],
  [
    "issuer",
    "https://login.example.com/.well-known/openid-configuration",
    "Leave /.well-known/openid-configuration out: it is added by the service.",
  ],
  ["clientId", "", "Enter the client ID that the provider gave you."],
  ["secret", "x".repeat(1_025), "The text can have 1,024 characters."],
] as const)("the field %s with %j has the problem %j", (field, value, problem) => {
  expect(providerProblemsOf({ ...valid, [field]: value }, ["other"])).toEqual({ [field]: problem });
});

test("valid values have no problem, and an empty secret is not sent", () => {
  expect(providerProblemsOf(valid, ["other"])).toEqual({});
  const settings = { label: "Company", issuer: "https://login.example.com", client_id: "parley" };
  expect(providerSettingsOf({ ...valid, label: " Company " })).toEqual(settings);
  expect(providerSettingsOf({ ...valid, secret: " s " })).toEqual({ ...settings, client_secret: " s " });
});

test.each([
  ["https://x.example/sign-in/oidc/{provider}/callback", "company", "https://x.example/sign-in/oidc/company/callback"],
  ["https://x.example/sign-in/oidc/{provider}/callback", "", undefined],
  ["https://x.example/sign-in/oidc/{provider}/callback", "Not valid", undefined],
  [undefined, "company", undefined],
])("the callback address by %j of %j is %j", (template, name, address) => {
  expect(callbackOf(template, name)).toBe(address);
});
