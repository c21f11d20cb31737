import "../browser-globals.ts";
import { expect, test } from "@jest/globals";

const { regionalFormOf } = await import("../../src/i18n/language.ts");

test.each([
  ["en", ["en-GB", "en"], "en-GB"],
  ["en", ["de-AT", "en-IE", "en-US"], "en-IE"],
  ["de", ["en-GB"], "de"],
  ["de", ["de", "de-CH"], "de-CH"],
  ["en", [], "en"],
  ["en", ["en-US@posix"], "en"],
  ["en", ["en-US@posix", "en-GB"], "en-GB"],
] as const)(
  "times in the language %s for a browser that prefers %j are written as in %s",
  (language, languages, form) => {
    expect(regionalFormOf(language, languages)).toBe(form);
  },
);
