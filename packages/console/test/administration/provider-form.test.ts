import "../browser-globals.ts";
import { expect, test } from "@jest/globals";
import { callbackOf, providerForm } from "../../src/administration/identity-providers/provider-form.ts";
import { formProblemsOf, recordOf } from "../../src/forms/schema-form.ts";

const form = providerForm(true);
const valid = {
  name: "company",
  label: "Company",
  issuer: "https://login.example.com",
  client_id: "parley",
  client_secret: "",
};

const NAME_RULE =
  "Use lower-case letters, digits and hyphens; begin and end with a letter or a digit; 63 characters at most.";
test.each([
  ["name", "", NAME_RULE],
  ["name", "Company", NAME_RULE],
  ["name", "other", "Another provider has this name."],
  ["issuer", "", "Enter the address of the provider."],
  ["issuer", "login.example.com", "Enter an address that begins with https://, without ? and #."],
  ["issuer", "https://login.example.com/?a=b", "Enter an address that begins with https://, without ? and #."],
  [
    "issuer",
    "https://login.example.com/.well-known/openid-configuration",
    "Leave /.well-known/openid-configuration out: it is added by the service.",
  ],
] as const)("the field %s with %j has the problem %j", (field, value, problem) => {
  const others = [{ ...valid, name: "other" }];
  expect(formProblemsOf(form, { ...valid, [field]: value }, others)).toEqual({ [field]: problem });
});

test("an empty secret is not sent, and the name of a stored provider is not checked", () => {
  expect(recordOf(form, valid)).not.toHaveProperty("client_secret");
  expect(formProblemsOf(providerForm(false), valid, [valid])).toEqual({});
});

test.each([
  ["https://x.example/sign-in/oidc/{provider}/callback", "company", "https://x.example/sign-in/oidc/company/callback"],
  ["https://x.example/sign-in/oidc/{provider}/callback", "", undefined],
  ["https://x.example/sign-in/oidc/{provider}/callback", "Not valid", undefined],
  [undefined, "company", undefined],
])("the callback address by %j of %j is %j", (template, name, address) => {
  expect(callbackOf(template, name)).toBe(address);
});
