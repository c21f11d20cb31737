import { describe, expect, test } from "@jest/globals";
import { NewConversation, NewUser, type Refusal } from "@parley/contract";
import fc from "fast-check";
import { bodyCheckOf } from "../../src/http/request-check.ts";
import { parseJson, isReservedName } from "../../src/http/parse-json.ts";
const refusalOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    const { problem, message } = error as Refusal;
    return `${problem.status}: ${message}`;
  }
  return "nothing was refused";
};

const users = [{ id: "u" }];
const message = { actor_type: "user" };
const CONVERSATIONS: [unknown, string][] = [
  [undefined, "MISSING_PARAMETER: The body is mandatory: send it as JSON."],
  [[], "INVALID_VALUE: The body must be an object"],
  ["text", "INVALID_VALUE: The body must be an object"],
  [null, "INVALID_VALUE: The body must be an object"],
  [{}, "MISSING_PARAMETER: channel_id, messages, users are mandatory"],
  [{ messages: [message], users }, "MISSING_PARAMETER: channel_id is mandatory"],
  [{ channel_id: null, messages: [message], users }, "MISSING_PARAMETER: channel_id is mandatory"],
  [{ channel_id: 3, messages: [message], users }, "INVALID_VALUE: channel_id must be a string"],
  [{ channel_id: "c", messages: [], users }, "INVALID_VALUE: messages must have at least 1 item"],
  [{ channel_id: "c", messages: [{}], users }, "MISSING_PARAMETER: messages[0].actor_type is mandatory"],
  [
    { channel_id: "c", messages: [message, { actor_type: "robot" }], users },
    "INVALID_VALUE: messages[1].actor_type must be one of user, agent, bot, system",
  ],
  [
    { channel_id: "c", messages: [{ ...message, message_parts: [{ nonsense: 1 }] }], users },
    "INVALID_VALUE: messages[0].message_parts[0] must have at least 1 member of those that the reference lists",
  ],
  [
    {
      channel_id: "c",
      messages: [{ ...message, message_parts: [{ text: { content: "" }, image: { url: "u" } }] }],
      users,
    },
    "INVALID_VALUE: messages[0].message_parts[0] must have at most 1 member",
  ],
  [
    {
      channel_id: "c",
      messages: [{ ...message, reply_parts: [{ collection: { sub_parts: [{ quick_reply_button: {} }] } }] }],
      users,
    },
    "MISSING_PARAMETER: messages[0].reply_parts[0].collection.sub_parts[0].quick_reply_button.label is mandatory",
  ],
  [
    { channel_id: "c", messages: [{ ...message, message_parts: [{ text: {} }] }], users },
    "MISSING_PARAMETER: messages[0].message_parts[0].text.content is mandatory",
  ],
  [
    {
      channel_id: "c",
      messages: [{ ...message, message_parts: [{ collection: { sub_parts: [{ url_button: { url: "u" } }] } }] }],
      users,
    },
    "MISSING_PARAMETER: messages[0].message_parts[0].collection.sub_parts[0].url_button.label is mandatory",
  ],
  [
    { channel_id: "c", messages: [message], users: [{ id: "a" }, { id: "b" }] },
    "INVALID_VALUE: users must have at most 1 item",
  ],
  [
    { channel_id: "c", messages: [message], users, properties: { priority: 3 } },
    "INVALID_VALUE: properties.priority must be a string or an array",
  ],
  [
    { channel_id: "c", messages: [message], users, properties: { cf_a: ["x", 3] } },
    "INVALID_VALUE: properties.cf_a[1] must be a string",
  ],
  [
    { channel_id: "x".repeat(1025), messages: [message], users },
    "INVALID_VALUE: channel_id must have at most 1024 characters",
  ],
];

test.each(CONVERSATIONS)("a body %j is refused with %s", (body, refusal) => {
  const check = bodyCheckOf(NewConversation);
  expect(refusalOf(() => check(body))).toBe(refusal);
});

const USERS: [unknown, string][] = [
  [
    { social_profiles: [{ id: "a", type: "myspace" }] },
    "INVALID_VALUE: social_profiles[0].type must be one of facebook, twitter, skype, linkedin",
  ],
  [{ avatar: { url: "" } }, "INVALID_VALUE: avatar.url must not be empty"],
  [{ avatar: "picture" }, "INVALID_VALUE: avatar must be an object"],
  [{ properties: [{ name: "a" }] }, "MISSING_PARAMETER: properties[0].value is mandatory"],
];

test.each(USERS)("a user %j is refused with %s", (body, refusal) => {
  const check = bodyCheckOf(NewUser);
  expect(refusalOf(() => check(body))).toBe(refusal);
});

describe("the parser of request bodies", () => {
  const broken: [string, Buffer, string][] = [
    ["cut off", Buffer.from('{"a":'), "INVALID_JSON: The body is not valid JSON:"],
    ["not JSON at all", Buffer.from("a=1&b=2"), "INVALID_JSON: The body is not valid JSON:"],
    ["with a trailing comma", Buffer.from('{"a":1,}'), "INVALID_JSON: The body is not valid JSON:"],
    ["of broken UTF-8", Buffer.from([0x22, 0xc3, 0x28, 0x22]), "INVALID_JSON: The body is not valid UTF-8."],
    ["with a name twice", Buffer.from('{"a":{"b":1,"c":":","b":2}}'), "INVALID_JSON: The body names a member"],
    [
      "with a name twice in other letters",
      Buffer.from('{"ab":1,"\\u0061b":2}'),
      "INVALID_JSON: The body names a member",
    ],
    [
      "with NUL in a text",
      Buffer.from('{"a":["x\\u0000"]}'),
      "INVALID_VALUE: Texts must not contain the character NUL.",
    ],
    ["with NUL in a name", Buffer.from('{"x\\u0000":1}'), "INVALID_VALUE: Texts must not contain the character NUL."],
    ["nested without end", Buffer.from("[".repeat(400_000) + "]".repeat(400_000)), "INVALID_VALUE: The body is nested"],
  ];
  test.each(broken)("refuses %s", (_, bytes, refusal) => {
    expect(refusalOf(() => parseJson(bytes))).toContain(refusal);
  });

  const fine: [string, string, unknown][] = [
    ["a byte order mark", "\ufeff{}", {}],
    ["the escape of a backslash before u0000", '{"a":"\\\\u0000"}', { a: "\\u0000" }],
    ["names of other objects again", '{"a":{"b":1},"c":[{"b":1},{"b":2}]}', { a: { b: 1 }, c: [{ b: 1 }, { b: 2 }] }],
  ];
  test.each(fine)("accepts %s", (_, json, value) => {
    expect(parseJson(Buffer.from(json))).toEqual(value);
  });

  test("returns for any JSON what JSON.parse returns", () => {
    const names = fc.oneof(fc.string(), fc.constantFrom('"', "\\", ":", "{", '\\"', "a"));
    // Reserved names, which fc.string() generates too, are refused.
    const memberNames = names.filter((name) => !isReservedName(name));
    const value = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        names,
        fc.double(),
        fc.constant(null),
        fc.array(tie("any")),
        fc.dictionary(memberNames, tie("any")),
      ),
    })).any;
    const isFree = (json: string) => !json.includes("\\u0000");
    fc.assert(
      fc.property(value.map((each) => JSON.stringify(each)).filter(isFree), (json) => {
        expect(parseJson(Buffer.from(json))).toEqual(JSON.parse(json));
      }),
    );
  });
});
