import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { chooseAgents, placesIn, type RoutedAgent, type RoutedGroup } from "../../../src/messaging/routing/choice.ts";

const agent = (id: string, more: Partial<RoutedAgent> = {}): RoutedAgent => ({
  id,
  groups: ["support"],
  capacity: 2,
  load: 0,
  turn: 0,
  is_signed_in: false,
  ...more,
});
const waiting = (count: number, assigned_group_id = "support") =>
  Array.from({ length: count }, () => ({ assigned_group_id }));
const chosenIds = (groups: readonly RoutedGroup[], agents: readonly RoutedAgent[], count: number) =>
  chooseAgents(groups, agents, waiting(count)).map((each) => each.agent.id);

const BY_LOAD: RoutedGroup = { id: "support", logic: "LOAD", signed_in_agents_only: false };
const IN_TURN: RoutedGroup = { id: "support", logic: "ROUND_ROBIN", signed_in_agents_only: false };

describe("by load", () => {
  test("the agent who uses the smallest part of the capacity gets the next conversation, until all are full", () => {
    const agents = [agent("large", { capacity: 4, load: 1 }), agent("small", { capacity: 2, load: 1 })];
    expect(chosenIds([BY_LOAD], agents, 9)).toEqual(["large", "small", "large", "large"]);
  });
  test("of equal agents, the one whose last assignment is the longest ago", () => {
    const agents = [agent("late", { turn: 2 }), agent("early", { turn: 1 }), agent("never")];
    expect(chosenIds([BY_LOAD], agents, 3)).toEqual(["never", "early", "late"]);
  });
  test("an agent without capacity gets none", () => {
    expect(chosenIds([BY_LOAD], [agent("none", { capacity: 0 })], 1)).toEqual([]);
  });
});

describe("in turn", () => {
  test("each agent gets one after the other, whatever the load", () => {
    const agents = [agent("a", { load: 9, turn: 2 }), agent("b", { turn: 1 })];
    expect(chosenIds([IN_TURN], agents, 4)).toEqual(["b", "a", "b", "a"]);
  });
});

test("a conversation whose group has nobody waits, and does not hold up those of other groups", () => {
  const groups: RoutedGroup[] = [BY_LOAD, { ...BY_LOAD, id: "sales" }];
  const conversations = [...waiting(2, "sales"), ...waiting(1), ...waiting(1, "unknown")];
  const chosen = chooseAgents(groups, [agent("a")], conversations);
  expect(chosen.map(({ conversation }) => conversation.assigned_group_id)).toEqual(["support"]);
});

const GROUPS = ["a", "b", "c"];
const anyGroups = fc.tuple(
  ...GROUPS.map((id) =>
    fc.record({
      id: fc.constant(id),
      logic: fc.constantFrom("LOAD" as const, "ROUND_ROBIN" as const),
      signed_in_agents_only: fc.boolean(),
    }),
  ),
);
const anyAgents = fc
  .array(
    fc.record({
      groups: fc.subarray(GROUPS),
      is_signed_in: fc.boolean(),
      capacity: fc.nat(6),
      load: fc.nat(8),
      turn: fc.nat(1_000),
    }),
    { maxLength: 6 },
  )
  .map((all) => all.map((each, index) => ({ ...each, id: `agent-${index}` })));
const anyWaiting = fc.array(fc.record({ assigned_group_id: fc.constantFrom(...GROUPS) }), { maxLength: 40 });

test("nobody gets more than the capacity by load, nobody has room for a conversation that waits, and the number of places holds", () => {
  fc.assert(
    fc.property(anyGroups, anyAgents, anyWaiting, (groups, agents, conversations) => {
      const chosen = chooseAgents(groups, agents, conversations);
      const load = new Map(agents.map((each) => [each.id, each.load]));
      for (const choice of chosen) {
        expect(choice.agent.groups).toContain(choice.conversation.assigned_group_id);
        const chosenFor = groups.find(({ id }) => id === choice.conversation.assigned_group_id);
        expect(choice.agent.is_signed_in || chosenFor?.signed_in_agents_only === false).toBe(true);
        expect(choice.load).toBe(load.get(choice.agent.id));
        if (choice.logic === "LOAD") expect(choice.load).toBeLessThan(choice.agent.capacity);
        load.set(choice.agent.id, choice.load + 1);
      }
      const assigned = new Set(chosen.map(({ conversation }) => conversation));
      for (const { assigned_group_id } of conversations.filter((each) => !assigned.has(each))) {
        const group = groups.find(({ id }) => id === assigned_group_id);
        const left = agents.map((each) => ({ ...each, load: load.get(each.id) ?? 0 }));
        expect(group && placesIn(group, left, 1)).toBe(0);
      }
    }),
    { numRuns: 500 },
  );
});
