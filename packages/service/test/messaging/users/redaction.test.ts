import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { createRedaction } from "../../../src/messaging/users/redact.ts";

const SIGNS = "\\^$.*+?()[]{}|/-&~!#%,;:<=>@`'\"_ aA1é";
const name = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...SIGNS), maxLength: 20 }),
  fc.constant("x".repeat(1_024)),
);

test("a name is redacted, whatever characters it contains", () => {
  fc.assert(
    fc.property(name, fc.array(name), (first_name, values) => {
      const properties = values.map((value, index) => ({ name: String(index), value }));
      const redact = createRedaction([JSON.stringify({ first_name, properties })]);
      const trace = first_name.trim();
      if (trace.length >= 2) expect(redact(`Hello ${first_name}, welcome`)).not.toContain(` ${trace},`);
    }),
  );
});

test("a user with more names than one pattern holds is redacted under each of them", () => {
  const body = (index: number) => JSON.stringify({ first_name: `${"n".repeat(1_000)}${index}` });
  const redact = createRedaction(Array.from({ length: 300 }, (_, index) => body(index)));
  for (const index of [0, 32, 33, 299]) expect(redact(`to ${"n".repeat(1_000)}${index}`)).toBe("to [removed]");
});

test("a text that is too long for a name is not searched for", () => {
  const value = "(".repeat(5_000);
  expect(createRedaction([JSON.stringify({ properties: [{ name: "a", value }] })])(value)).toBe(value);
});
