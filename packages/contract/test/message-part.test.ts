import { expect, test } from "@jest/globals";
import { MessagePart } from "@parley/contract";
import { Compile } from "typebox/compile";

const part = Compile(MessagePart);
const button: MessagePart = { url_button: { url: "https://example.org", label: "Open" } };

test.each<[string, unknown, boolean]>([
  ["a text", { text: { content: "Hi" } }, true],
  ["a collection of buttons", { collection: { sub_parts: [button] } }, true],
  [
    "a template in a template",
    {
      template_content: {
        type: "carousel",
        sections: [{ name: "cards", parts: [{ template_content: { type: "carousel_card_default", sections: [] } }] }],
      },
    },
    true,
  ],
  ["no key", {}, false],
  ["two keys", { text: { content: "a" }, image: { url: "b" } }, false],
  ["a text without content", { text: {} }, false],
  ["an empty part deep inside", { collection: { sub_parts: [{ collection: { sub_parts: [{}] } }] } }, false],
  ["a button without label", { collection: { sub_parts: [{ url_button: { url: "u" } }] } }, false],
  ["a number", 3, false],
])("%s", (_title, value, valid) => {
  expect(part.Check(value)).toBe(valid);
});

test("the TypeScript type accepts the valid shapes", () => {
  // @ts-expect-error label is mandatory
  const bad: MessagePart = { collection: { sub_parts: [{ url_button: { url: "u" } }] } };
  expect(part.Check(bad)).toBe(false);
});
