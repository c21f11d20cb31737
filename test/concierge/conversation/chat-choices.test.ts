import { expect, test } from "@jest/globals";
import type { Message } from "@parley/contract";
import { chosenReply, transcript } from "../../../packages/parley/src/chat/transcript.ts";
import { menuParts } from "../../../server/lib/quick-replies.ts";
import { MENU_STYLES } from "../../../server/lib/settings.ts";

test.each(MENU_STYLES)("a menu of the style %s can be answered in the terminal: each label is a choice", (style) => {
  const labels = ["Get help", "Buy something"];
  const reply_parts = menuParts(style, labels) ?? [];
  const message = { id: "m-1", actor_type: "bot", message_parts: [], reply_parts } as unknown as Message;
  const { choices, text } = transcript(message);
  expect(choices).toEqual(labels.map((label) => ({ label, text: label, messageId: "m-1" })));
  for (const label of labels) expect(text).toContain(label);
});

const menuOf = (labels: readonly string[]) => {
  const reply_parts = menuParts("Buttons", labels) ?? [];
  return transcript({ id: "m-1", actor_type: "bot", message_parts: [], reply_parts } as unknown as Message);
};

test("parley chat takes a typed number as the position of a choice if the labels are words", () => {
  const { choices, text } = menuOf(["Get help", "Buy something"]);
  expect(text).toContain("2) ");
  expect(chosenReply("2", choices)?.label).toBe("Buy something");
  expect(chosenReply("get HELP", choices)?.label).toBe("Get help");
  expect(chosenReply("3", choices)).toBeUndefined();
});

test("parley chat does not number choices whose labels are numbers: a typed number is the label", () => {
  const { choices, text } = menuOf(["5", "4", "3", "2", "1"]);
  expect(text).not.toContain(")");
  expect(chosenReply("1", choices)?.label).toBe("1");
  expect(chosenReply("6", choices)).toBeUndefined();
});
