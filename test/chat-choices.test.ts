import { expect, test } from "@jest/globals";
import type { Message } from "@parley/contract";
import { transcript } from "../packages/parley/src/chat/transcript.ts";
import { menuParts } from "../server/lib/menu-parts.ts";
import { MENU_STYLES } from "../server/lib/settings.ts";

test.each(MENU_STYLES)("a menu as %s can be answered in the terminal: each label is a choice", (style) => {
  const labels = ["Get help", "Buy something"];
  const reply_parts = menuParts(style, labels) ?? [];
  const message = { id: "m-1", actor_type: "bot", message_parts: [], reply_parts } as unknown as Message;
  const { choices, text } = transcript(message);
  expect(choices).toEqual(labels.map((label) => ({ label, text: label, messageId: "m-1" })));
  for (const label of labels) expect(text).toContain(label);
});
