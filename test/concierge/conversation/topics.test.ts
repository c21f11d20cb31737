import { expect, test } from "@jest/globals";
import { isTopicEnabled } from "../../../server/lib/topic-welcomes.ts";

const topic = (name: string, more: { enabled?: boolean; public?: boolean } = {}) => ({ id: name, name, ...more });

test.each([
  ["one that everyone sees", topic("Support", { enabled: true, public: true }), [], true],
  ["one whose state the event does not tell", topic("Support"), [], true],
  ["a private one", topic("Support", { public: false }), [], false],
  ["one that is switched off", topic("Support", { enabled: false }), [], false],
  ["one that is named", topic("Support"), ["Sales", "Support"], true],
  ["one that is named in another spelling", topic("Support"), [" support "], true],
  ["a private one that is named", topic("Support", { public: false, enabled: false }), ["Support"], true],
  ["one that is not named", topic("Support", { enabled: true, public: true }), ["Sales"], false],
])("with all topics %s: %j, named %j, is enabled: %s", (_title, channel, topics, isIt) => {
  expect(isTopicEnabled(channel, topics)).toBe(isIt);
});
