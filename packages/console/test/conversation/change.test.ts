import { expect, test } from "@jest/globals";
import type { ConversationChange, ListedAgent } from "@parley/contract";
import {
  assignAgent,
  assignGroup,
  changedProperties,
  expectedState,
  reverseChange,
  type ChangeableState,
} from "../../src/conversation/change.ts";

const NEW: ChangeableState = { status: "new", properties: {} };
const IN_GROUP: ChangeableState = { ...NEW, assigned_group_id: "g" };
const ASSIGNED: ChangeableState = {
  status: "assigned",
  assigned_agent_id: "a",
  assigned_group_id: "g",
  properties: {},
};
const RESOLVED: ChangeableState = { ...ASSIGNED, status: "resolved" };

const cases: readonly (readonly [string, ChangeableState, ConversationChange, ChangeableState])[] = [
  ["an agent", IN_GROUP, { assigned_agent_id: "a" }, ASSIGNED],
  [
    "an agent without the group",
    IN_GROUP,
    { assigned_agent_id: "a", assigned_group_id: "" },
    { status: "assigned", assigned_agent_id: "a", properties: {} },
  ],
  ["no agent", ASSIGNED, { assigned_agent_id: "" }, IN_GROUP],
  ["a group, which removes the agent", ASSIGNED, { assigned_group_id: "h" }, { ...NEW, assigned_group_id: "h" }],
  [
    "a group with the agent",
    ASSIGNED,
    { assigned_group_id: "h", assigned_agent_id: "a" },
    { ...ASSIGNED, assigned_group_id: "h" },
  ],
  ["no group", ASSIGNED, { assigned_group_id: "" }, { status: "assigned", assigned_agent_id: "a", properties: {} }],
  ["a resolution", ASSIGNED, { status: "resolved" }, RESOLVED],
  ["a reopening, which removes the agent", RESOLVED, { status: "reopened" }, IN_GROUP],
  [
    "an agent of a resolved conversation",
    RESOLVED,
    { assigned_agent_id: "b" },
    { ...ASSIGNED, assigned_agent_id: "b" },
  ],
  ["no agent of a resolved conversation, which changes nothing", RESOLVED, { assigned_agent_id: "" }, RESOLVED],
  ["a property", NEW, { properties: { priority: "High" } }, { ...NEW, properties: { priority: "High" } }],
  ["no value of a property", { ...NEW, properties: { cf_a: "x" } }, { properties: { cf_a: "" } }, NEW],
];

test.each(cases)("the state after a change to %s", (_, before, change, after) => {
  expect(expectedState(before, change)).toEqual(after);
});

test.each(cases)("the reverse change of a change to %s leads back", (_, before, _change, after) => {
  expect(expectedState(after, reverseChange(before, after))).toEqual(before);
});

const agentOf = (id: string, groups: string[]): ListedAgent => ({
  id,
  groups,
  email: `${id}@acme.example`,
  is_active: true,
  availability_status: "AVAILABLE",
});
const AGENTS = [agentOf("a", ["g"]), agentOf("b", ["h"])];

test("an agent is assigned together with the group if it is a member, otherwise without it", () => {
  expect(assignAgent(IN_GROUP, "a", AGENTS)).toEqual({ assigned_agent_id: "a" });
  expect(assignAgent(IN_GROUP, "b", AGENTS)).toEqual({ assigned_agent_id: "b", assigned_group_id: "" });
  expect(assignAgent(NEW, "b", AGENTS)).toEqual({ assigned_agent_id: "b" });
  expect(assignAgent(ASSIGNED, undefined, AGENTS)).toEqual({ assigned_agent_id: "" });
});

test("the assigned agent stays if it is a member of the new group", () => {
  expect(assignGroup(ASSIGNED, "g", AGENTS)).toEqual({ assigned_group_id: "g", assigned_agent_id: "a" });
  expect(assignGroup(ASSIGNED, "h", AGENTS)).toEqual({ assigned_group_id: "h" });
  expect(assignGroup(RESOLVED, "g", AGENTS)).toEqual({ assigned_group_id: "g" });
  expect(assignGroup(ASSIGNED, undefined, AGENTS)).toEqual({ assigned_group_id: "" });
});

test("properties that are changed to an empty text are removed", () => {
  expect(changedProperties({ priority: "High", cf_a: ["x"] }, { priority: "", cf_b: "y" })).toEqual({
    cf_a: ["x"],
    cf_b: "y",
  });
});
