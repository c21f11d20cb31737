import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import Value from "typebox/value";
import { editorSchemas } from "../../src/package/editor-schemas.ts";

/** The JSON schemas with which editors complete an app's files, checked with a validator. */

const json = (path: string): unknown =>
  JSON.parse(readFileSync(fileURLToPath(new URL(`../../../../${path}`, import.meta.url)), "utf8"));
const check = (schema: string, value: unknown): boolean => Value.Check(editorSchemas()[schema] as never, value);

test.each([
  ["manifest.schema.json", "manifest.json"],
  ["iparams.schema.json", "config/iparams.json"],
  ["requests.schema.json", "config/requests.json"],
])("%s accepts Concierge's %s, with and without $schema", (schema, file) => {
  const value = json(file) as object;
  expect(check(schema, value)).toBe(true);
  expect(check(schema, { $schema: "./x.json", ...value })).toBe(true);
});

const manifest = (version: string, more: object) => ({ "platform-version": version, ...more });
const events = (name: string) => ({ chat_conversation: { events: { [name]: { handler: "h" } } } });

describe("a schema of an app's files checks", () => {
  test.each<[string, string, unknown, boolean]>([
    ["an event of the module", "manifest", manifest("3.0", { modules: events("onMessageCreate") }), true],
    ["an event of another module", "manifest", manifest("3.0", { modules: events("onUserSing") }), false],
    ["an unknown version", "manifest", manifest("9.0", { modules: {} }), false],
    ["3.0 without modules", "manifest", manifest("3.0", {}), false],
    [
      "2.2 with a product",
      "manifest",
      manifest("2.2", { product: { freshchat: {} }, "whitelisted-domains": [] }),
      true,
    ],
    ["2.2 without a product", "manifest", manifest("2.2", {}), false],
    ["a parameter", "iparams", { a: { display_name: "A", type: "text" } }, true],
    ["an unknown type", "iparams", { a: { display_name: "A", type: "colour" } }, false],
    ["a choice without options", "iparams", { a: { display_name: "A", type: "radio" } }, false],
    ["options without a choice", "iparams", { a: { display_name: "A", type: "text", options: ["x"] } }, false],
    ["an api_key without a product", "iparams", { a: { display_name: "A", type: "api_key" } }, false],
    ["a template", "requests", { a: { schema: { method: "GET", host: "a.b" } } }, true],
    ["a body in a template", "requests", { a: { schema: { method: "GET", host: "a.b", body: "" } } }, false],
    ["six attempts", "requests", { a: { schema: { method: "GET", host: "a.b" }, options: { maxAttempts: 6 } } }, false],
  ])("%s", (_title, schema, value, fits) => {
    expect(check(`${schema}.schema.json`, value)).toBe(fits);
  });
});

test("each schema property has a description", () => {
  const { properties } = (editorSchemas()["iparams.schema.json"] as { additionalProperties: { properties: object } })
    .additionalProperties;
  for (const property of Object.values(properties)) expect(property).toHaveProperty("description");
});
