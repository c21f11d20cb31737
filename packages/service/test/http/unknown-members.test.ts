import { describe, expect, test } from "@jest/globals";
import { isRefusal, Message, NewConversation, NewUser, type MessagePart } from "@parley/contract";
import fc from "fast-check";
import type { TSchema } from "typebox";
import { bodyCheckOf, cleanerOf } from "../../src/http/request-check.ts";
const text = fc.string({ maxLength: 20 });
const { part } = fc.letrec<{ part: MessagePart }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4 },
    fc.record({ text: fc.record({ content: text }) }),
    fc.record({ image: fc.record({ url: fc.webUrl() }) }),
    fc.record({ quick_reply_button: fc.record({ label: text, payload: text }, { requiredKeys: ["label"] }) }),
    fc.record({ collection: fc.record({ sub_parts: fc.array(tie("part"), { maxLength: 3 }) }) }),
    fc.record({
      template_content: fc.record({
        type: text,
        sections: fc.array(fc.record({ name: text, parts: fc.array(tie("part"), { maxLength: 3 }) }), { maxLength: 3 }),
      }),
    }),
  ),
}));
const conversation = fc.record(
  {
    channel_id: fc.uuid(),
    status: fc.constantFrom("new", "assigned", "resolved", "reopened"),
    messages: fc.array(
      fc.record(
        {
          actor_type: fc.constantFrom("user", "agent", "bot", "system"),
          actor_id: fc.uuid(),
          message_parts: fc.array(part, { maxLength: 4 }),
          reply_parts: fc.array(part, { maxLength: 4 }),
          restrictResponse: fc.boolean(),
        },
        { requiredKeys: ["actor_type"] },
      ),
      { minLength: 1, maxLength: 3 },
    ),
    users: fc.tuple(fc.record({ id: fc.uuid() })).map((users) => [...users]),
  },
  { requiredKeys: ["channel_id", "messages", "users"] },
);

/** All names that a schema gives to members, at any depth. */
const namesIn = (schema: unknown): Set<string> => {
  if (typeof schema !== "object" || schema === null) return new Set();
  const own = "properties" in schema ? Object.keys(schema.properties as object) : [];
  return new Set([...own, ...Object.values(schema).flatMap((part) => [...namesIn(part)])]);
};
const objectsIn = (value: unknown): object[] =>
  typeof value !== "object" || value === null
    ? []
    : [...(Array.isArray(value) ? [] : [value]), ...Object.values(value).flatMap(objectsIn)];

/** Adds unknown members to each object; JSON.parse makes `__proto__` an ordinary member. */
const withUnknownMembers = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withUnknownMembers);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${JSON.stringify(withUnknownMembers(member))}`,
  );
  const dirt = [
    '"__proto__":{"admin":true}',
    '"constructor":{"prototype":{}}',
    '"unknown":[{"a":1}]',
    '"first_name":null',
  ];
  return JSON.parse(`{${[...members, ...dirt].join(",")}}`) as unknown;
};

const jsonText = fc.jsonValue({ maxDepth: 5 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);

/** Pairs have names that the caller chooses, so they are removed before names are checked. */
const withoutPairs = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (name, member: unknown) =>
    ["meta_data", "attachment_input", "reference", "text_input"].includes(name) ? 0 : member,
  );

/** -> undefined if the check refuses */
const attempt = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
};

describe("a value without unknown members", () => {
  const bases: [string, TSchema, fc.Arbitrary<object>][] = [
    ["NewUser", NewUser, fc.constant({})],
    ["NewConversation", NewConversation, conversation],
  ];
  test.each(bases)("%s: an accepted value contains only members that the schema names", (_, schema, base) => {
    const check = bodyCheckOf(schema);
    const names = namesIn(schema);
    const someNames = fc.constantFrom(...names, "__proto__", "constructor", "toString");
    const junk = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof({ maxDepth: 4 }, text, jsonText, fc.array(tie("any")), fc.dictionary(someNames, tie("any"))),
    })).any;
    const passed = { count: 0 };
    fc.assert(
      fc.property(base, fc.dictionary(someNames, junk, { maxKeys: 2 }), (value, more) => {
        const body = withUnknownMembers({ ...more, ...value });
        const clean = attempt(() => check(body));
        if (clean === undefined) return;
        passed.count++;
        for (const object of objectsIn(withoutPairs(clean))) {
          for (const name of Object.keys(object)) expect(names).toContain(name);
          expect(Object.values(object)).not.toContain(null);
        }
        for (const object of objectsIn(clean)) expect(Object.getPrototypeOf(object)).toBe(Object.prototype);
      }),
      { numRuns: 300 },
    );
    expect(passed.count).toBeGreaterThan(30);
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
  });

  test("is equal to a valid value", () => {
    const check = bodyCheckOf(NewConversation);
    fc.assert(fc.property(conversation, (value) => expect(check(value)).toEqual(value)));
  });

  test("is equal to a valid value to which unknown members were added", () => {
    const check = bodyCheckOf(NewConversation);
    fc.assert(
      fc.property(conversation, (value) =>
        expect(check(withUnknownMembers(value))).toStrictEqual(JSON.parse(JSON.stringify(value))),
      ),
    );
  });

  test("has no nulls, keeps free pairs, and loses names that reach a prototype", () => {
    const body = JSON.parse(
      '{"actor_type":"bot","actor_id":null,"meta_data":{"a":1,"b":null,"__proto__":{"x":1},"deep":{"constructor":1,"c":[null,{"__proto__":2}]}}}',
    ) as unknown;
    expect(cleanerOf(Message)(body)).toStrictEqual({ actor_type: "bot", meta_data: { a: 1, deep: { c: [null, {}] } } });
  });
});
