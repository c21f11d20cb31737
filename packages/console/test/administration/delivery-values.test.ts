import { expect, test } from "@jest/globals";
import "../browser-globals.ts";

import {
  millisecondsText,
  isRepeatable,
  kindText,
  readable,
  responseText,
} from "../../src/administration/deliveries/delivery-values.ts";

const RESPONSES: readonly (readonly [Parameters<typeof responseText>[0], string])[] = [
  [{ status: 204, tries: 1 }, "204"],
  [{ status: 500, reason: "answered 500", tries: 2 }, "500"],
  [{ reason: "Timeout", tries: 1 }, "Timeout"],
  [{ tries: 1 }, "No response"],
  [{ tries: 0 }, "Not sent yet"],
];
test.each(RESPONSES)("%j has the response %j", (delivery, text) => {
  expect(responseText(delivery)).toBe(text);
});

test("everything can be delivered again except what waits to be sent", () => {
  const states = ["delivered", "waiting", "aside", "dead"] as const;
  expect(states.filter((state) => isRepeatable({ state }))).toEqual(["delivered", "aside", "dead"]);
});

test("JSON is shown with a line for each member, another text as it is", () => {
  expect(readable('{"a":{"b":1}}')).toBe('{\n  "a": {\n    "b": 1\n  }\n}');
  expect(readable("<html>no")).toBe("<html>no");
});

test("a kind of events of a later release has its own name", () => {
  expect([kindText("message_create"), kindText("message_delete")]).toEqual(["New message", "message_delete"]);
});

test("a duration has thousands; an unknown duration is a dash", () => {
  expect([millisecondsText(1_234), millisecondsText(undefined)]).toEqual(["1,234\u00A0ms", "–"]);
});
