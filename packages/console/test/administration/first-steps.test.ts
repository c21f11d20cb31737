import { expect, test } from "@jest/globals";
import type { ChannelSetting } from "@parley/contract";
import {
  doneSteps,
  FIRST_STEPS,
  type AccountFacts,
  type FirstStep,
  type RecordedChanges,
} from "../../src/administration/overview/first-steps.ts";

const EMPTY: AccountFacts = {
  document: {},
  agents: [{ is_active: true }],
  hasApp: false,
  tokens: [],
  conversations: [],
};
const preview = (actor_type: "agent" | "bot" | "user") => ({
  ...{ text: "Hello", kind: "text", actor_type, is_private: false, created_time: "2026-01-01T00:00:00.000Z" },
});

const topic = (
  welcome_message: ChannelSetting["welcome_message"] = { message_parts: [{ text: { content: "Hello" } }] },
) => ({ name: "Inbox", welcome_message });
const used = (name: string) => ({ id: `id of ${name}`, name, last_used_time: "2026-01-01T00:00:00.000Z" });

test("an empty account has done nothing", () => {
  expect([...doneSteps(EMPTY)]).toEqual([]);
});

test.each<[string, Partial<AccountFacts>, FirstStep[]]>([
  ["a topic without a welcome message", { document: { channels: [{ name: "Inbox" }] } }, []],
  ["a topic whose welcome message is empty", { document: { channels: [topic({ message_parts: [] })] } }, []],
  ["a topic with a welcome message", { document: { channels: [topic()] } }, ["topic"]],
  ["a disabled topic", { document: { channels: [{ ...topic(), enabled: false }] } }, []],
  ["a topic that customers don't see", { document: { channels: [{ ...topic(), public: false }] } }, []],
  ["a colleague", { agents: [{ is_active: true }, { is_active: true }] }, ["agent"]],
  ["a deactivated colleague", { agents: [{ is_active: true }, { is_active: false }] }, []],
  ["an app", { hasApp: true }, ["app"]],
  ["a token that nobody used", { tokens: [{ id: "shop", name: "Shop" }] }, []],
  ["a token that was used", { tokens: [{ id: "shop", name: "Shop" }, used("Sync")] }, ["token"]],
  ["a key that an app used", { tokens: [used("app greeter")] }, []],
  ["a message", { conversations: [{ status: "new", preview: preview("user") }] }, ["message"]],
  ["an answer of a bot", { conversations: [{ status: "new", preview: preview("bot") }] }, ["message"]],
  ["an answer", { conversations: [{ status: "assigned", preview: preview("agent") }] }, ["message", "answer"]],
  [
    "a resolved conversation",
    { conversations: [{ status: "resolved", preview: preview("user") }] },
    ["message", "answer"],
  ],
])("%s", (_title, facts, expected) => {
  expect([...doneSteps({ ...EMPTY, ...facts })]).toEqual(expected);
  expect(FIRST_STEPS.filter((step) => expected.includes(step))).toEqual(expected);
});

/** Contents of the demo. */
const DEMO: AccountFacts = {
  document: { channels: [topic()] },
  agents: [{ is_active: true }, { is_active: true }],
  hasApp: true,
  tokens: [used("local")],
  conversations: [],
};
const NOTHING: RecordedChanges = {
  sections: new Set(),
  hasCreatedAgent: false,
  hasInstalledApp: false,
  createdTokenIds: new Set(),
};

test.each<[string, Partial<RecordedChanges>, FirstStep[]]>([
  ["nothing", {}, []],
  ["a change of the topics", { sections: new Set(["channels"]) }, ["topic"]],
  ["a change of the groups", { sections: new Set(["groups"]) }, []],
  ["a created agent", { hasCreatedAgent: true }, ["agent"]],
  ["an installed app", { hasInstalledApp: true }, ["app"]],
  ["the token that was used", { createdTokenIds: new Set(["id of local"]) }, ["token"]],
  ["another token", { createdTokenIds: new Set(["shop"]) }, []],
])("of an account of the demo, in which people did this: %s", (_title, recorded, expected) => {
  expect([...doneSteps({ ...DEMO, recorded: { ...NOTHING, ...recorded } })]).toEqual(expected);
});
