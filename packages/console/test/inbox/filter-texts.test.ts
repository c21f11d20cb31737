import { expect, test } from "@jest/globals";
import "../browser-globals.ts";
import { splitProperty } from "../../src/inbox/filter-texts.ts";

test("a filter by a property is split at its first colon", () => {
  expect(splitProperty("cf_link:https://example.com")).toEqual({ name: "cf_link", value: "https://example.com" });
});
