import { describe, expect, test } from "@jest/globals";
import { ConsoleMessage, EmbedMessage, matchesSchema } from "@parley/contract";
import { parseEmbedMessage } from "../../packages/console/src/apps/embedding/embed-messages.ts";
import { parseConsoleMessage } from "../../packages/framework/src/front/embedded/console-messages.ts";

/** The checks of both pages admit exactly what the schemas of the contract do. */

const rectangle = { left: 0.5, top: -3, width: 320, height: 100 };
const CONSOLE_MESSAGES: readonly ConsoleMessage[] = [
  { t: "open", agent: "a" },
  { t: "open", agent: "a", conversation: "c" },
  { t: "activate" },
  { t: "deactivate" },
  { t: "intercept", id: 1, event: "conversation.onSendMessage", data: { message: "x" } },
  { t: "intercept", id: 2, event: "conversation.onResolveClick", data: null },
  { t: "layout", rectangle },
  { t: "answer", id: 1, value: rectangle },
  { t: "failure", id: 1, failure: { status: 404, message: "No." } },
];
const EMBED_MESSAGES: readonly EmbedMessage[] = [
  { t: "ticket", id: 1 },
  { t: "confirm", id: 1, title: "t", message: "", saveLabel: "s", cancelLabel: "c" },
  { t: "setValue", id: 1, text: "x", at: "cursor" },
  { t: "setValue", id: 1, text: "", at: "all" },
  { t: "element", id: 1, element: "send", change: "hide" },
  { t: "click", id: 1, element: "assign" },
  { t: "click", id: 1, element: "conversation", value: "c" },
  { t: "expand", id: 1 },
  { t: "collapse" },
  { t: "ready" },
  { t: "error", failure: { status: 500, message: "" } },
  { t: "notify", kind: "danger", title: "", message: "m" },
  { t: "resize", height: 40 },
  { t: "close" },
  { t: "decision", id: 1, ok: false, message: "no" },
];

/** What a member is replaced by: wrong types, bounds and beyond. */
const VALUES: readonly unknown[] = [
  null,
  true,
  "",
  "x",
  "hide",
  "conversation",
  "all",
  "error",
  "x".repeat(256),
  "x".repeat(257),
  "x".repeat(4_096),
  "x".repeat(4_097),
  "x".repeat(65_536),
  "x".repeat(65_537),
  0,
  1,
  -1,
  1.5,
  399,
  400,
  599,
  600,
  10_000,
  10_001,
  100_000,
  100_001,
  -100_001,
  NaN,
  Infinity,
  2 ** 53,
  {},
  [],
  ["x"],
  rectangle,
  { ...rectangle, more: 1 },
  { status: 404, message: "x" },
  { status: 404 },
];

const withMember = (message: object, path: readonly string[], value: unknown): object => {
  const [name = "", ...rest] = path;
  const inner = (message as Record<string, unknown>)[name];
  return { ...message, [name]: rest.length === 0 ? value : withMember(inner ?? {}, rest, value) };
};
const membersOf = (value: object): string[][] =>
  Object.entries(value).flatMap(([name, member]) => [
    [name],
    ...(typeof member === "object" && member !== null
      ? membersOf(member as object).map((path) => [name, ...path])
      : []),
  ]);
const withoutMember = (message: object, name: string): object =>
  Object.fromEntries(Object.entries(message).filter(([other]) => other !== name));

/** The message itself, and each change of one of its members. */
const variantsOf = (message: object): unknown[] => [
  message,
  { ...message, more: 1 },
  ...Object.keys(message).map((name) => withoutMember(message, name)),
  ...membersOf(message).flatMap((path) => VALUES.map((value) => withMember(message, path, value))),
];

describe.each([
  ["the embedded page", ConsoleMessage, parseConsoleMessage, CONSOLE_MESSAGES],
  ["the console", EmbedMessage, parseEmbedMessage, EMBED_MESSAGES],
] as const)("%s", (_name, schema, parse, messages) => {
  test.each(messages.map((message) => [JSON.stringify(message), message]))("admits %s", (_text, message) => {
    expect([matchesSchema(schema, message), parse(message)]).toEqual([true, message]);
  });

  test("has a sample of each message", () => {
    const kinds = schema.anyOf.map(({ properties }) => properties.t.const);
    expect([...new Set(messages.map(({ t }) => t))].sort()).toEqual([...kinds].sort());
  });

  test("admits exactly the variants that the schema admits", () => {
    const variants = [
      ...messages.flatMap(variantsOf),
      ...[null, undefined, 1, "open", [], {}, { t: "__proto__" }, { t: "toString" }, { t: 1 }],
    ];
    const admitted = variants.filter((variant) => matchesSchema(schema, variant));
    expect(admitted.length).toBeGreaterThan(100);
    const differing = variants.filter((variant) => matchesSchema(schema, variant) !== (parse(variant) !== undefined));
    expect(differing).toEqual([]);
  });
});
