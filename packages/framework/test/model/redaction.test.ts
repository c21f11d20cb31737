import { describe, expect, test } from "@jest/globals";
import { boundedWork } from "../../../../test/support/bounded-work.ts";
import { createRedactor } from "../../src/model/redaction.ts";

const SECRET = 's3cr/et+Wert\nzweite "Zeile"';
const redactor = createRedactor();
redactor.add([SECRET, "true", "abc", "other-key"]);

describe("a secure value is redacted in a text", () => {
  test.each([
    ["unchanged", `key=${SECRET}.`, "key=[secure value]."],
    ["line by line", `'s3cr/et+Wert\\n' +\n 'zweite "Zeile"'`, `'[secure value]\\n' +\n '[secure value]'`],
    ["in JSON", JSON.stringify({ key: SECRET }), '{"key":"[secure value]"}'],
    ["in a URL", `https://a.b/?k=${encodeURIComponent(SECRET)}&x=1`, "https://a.b/?k=[secure value]&x=1"],
    ["several times", "other-key other-key", "[secure value] [secure value]"],
    ["truncated in the middle", "xx s3cr/et …", "xx [secure value] …"],
  ])("%s", (_title, text, expected) => {
    expect(redactor.text(text)).toBe(expected);
  });

  test.each(["", "u", "us", "user:", "longer-user:"])("in base64 after %j", (before) => {
    for (const encoding of ["base64", "base64url"] as const) {
      const text = redactor.text(Buffer.from(`${before}${SECRET}!`).toString(encoding));
      expect(text).toContain("[secure value]");
      // At most the characters that overlap with neighbouring values remain.
      const rest = text.replace("[secure value]", "");
      expect(rest.length).toBeLessThan(Buffer.from(`${before}!`).toString("base64").length + 6);
    }
  });

  test("and other text stays unchanged", () => {
    for (const text of ["true", "abc", "s3c …", "nothing at all …"]) expect(redactor.text(text)).toBe(text);
  });
});

test("JSON values lose a secure value in texts and names at any depth, and keep everything else", () => {
  const value = { a: [1, null, { "other-key": `x${SECRET}` }], ok: true };
  expect(redactor.value(value)).toEqual({ a: [1, null, { "[secure value]": "x[secure value]" }], ok: true });
  expect(redactor.isIn(value)).toBe(true);
  expect(redactor.isIn({ a: "nothing" })).toBe(false);
  let deep: unknown = SECRET;
  for (let level = 0; level < 5_000; level += 1) deep = [deep];
  expect(JSON.stringify(redactor.value(deep))).not.toContain("s3cr");
});

test("a truncated text of a million characters is searched for a value of a million in one pass", () => {
  const long = createRedactor();
  long.add([`${"k".repeat(1_000_000)}z`]);
  const text = `${"y".repeat(1_000_000)} …`;
  expect(boundedWork(() => long.text(text))).toBe(text);
});
