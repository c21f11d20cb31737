import { describe, expect, test } from "@jest/globals";
import { isRefusal } from "@parley/contract";
import fc from "fast-check";
import {
  stateAfterMessage,
  INITIAL_STATE,
  isSameState,
  type ConversationState,
  type ConversationStateChange,
  stateAfterUpdate,
  systemMessageOf,
} from "../../../src/messaging/conversations/transitions.ts";

const sales = "group-sales";
const billing = "group-billing";
const ann = { id: "agent-ann", groups: [sales] };
const bob = { id: "agent-bob", groups: [sales, billing] };

const fresh = { ...INITIAL_STATE, assigned_group_id: sales };
const anns: ConversationState = { ...fresh, status: "assigned", assigned_agent_id: ann.id };
const closed: ConversationState = { ...anns, status: "resolved" };

/** `"<status> <agent> <group>"`, or the token of a refusal. */
const outcome = (state: ConversationState, change: ConversationStateChange): string => {
  try {
    const { status, assigned_agent_id, assigned_group_id } = stateAfterUpdate(state, change);
    return [status, assigned_agent_id ?? "-", assigned_group_id ?? "-"].join(" ");
  } catch (error) {
    if (isRefusal(error)) return error.problem.status;
    throw error;
  }
};

describe("an update", () => {
  test.each<[string, ConversationState, ConversationStateChange, string]>([
    ["new, an agent of the group", fresh, { status: "assigned", agent: ann }, `assigned ${ann.id} ${sales}`],
    ["new without a group, an agent", INITIAL_STATE, { status: "assigned", agent: ann }, `assigned ${ann.id} -`],
    ["new, an agent of another group", { ...fresh, assigned_group_id: billing }, { agent: ann }, "AGENT_NOT_IN_GROUP"],
    ["new, agent and group", fresh, { agent: bob, group: billing }, `assigned ${bob.id} ${billing}`],
    ["new, agent and a group that is not his", fresh, { agent: ann, group: billing }, "AGENT_NOT_IN_GROUP"],
    ["new, an agent and no group any more", fresh, { agent: ann, group: null }, `assigned ${ann.id} -`],
    ["new, assigned with a group only", fresh, { status: "assigned", group: billing }, `new - ${billing}`],
    ["new, new with a group only", fresh, { status: "new", group: billing }, `new - ${billing}`],
    ["new, no agent", fresh, { status: "assigned", agent: null }, `new - ${sales}`],
    ["new, no group", fresh, { group: null }, "new - -"],
    ["new, resolved", fresh, { status: "resolved" }, `resolved - ${sales}`],
    ["new, reopened", fresh, { status: "reopened" }, `new - ${sales}`],
    ["new, new", fresh, { status: "new" }, `new - ${sales}`],
    ["new, assigned to nobody", fresh, { status: "assigned" }, "MISSING_PARAMETER"],
    ["new, nothing", fresh, {}, `new - ${sales}`],

    ["assigned, another agent", anns, { status: "assigned", agent: bob }, `assigned ${bob.id} ${sales}`],
    ["assigned, the same agent", anns, { status: "assigned", agent: ann }, `assigned ${ann.id} ${sales}`],
    ["assigned, a group only", anns, { status: "assigned", group: billing }, `new - ${billing}`],
    ["assigned, new with a group only", anns, { status: "new", group: billing }, `new - ${billing}`],
    ["assigned, no agent", anns, { status: "assigned", agent: null }, `new - ${sales}`],
    ["assigned, no group", anns, { status: "assigned", group: null }, `assigned ${ann.id} -`],
    ["assigned, neither", anns, { agent: null, group: null }, "new - -"],
    ["assigned, resolved", anns, { status: "resolved" }, `resolved ${ann.id} ${sales}`],
    [
      "assigned, resolved with the same group",
      anns,
      { status: "resolved", group: sales },
      `resolved ${ann.id} ${sales}`,
    ],
    ["assigned, resolved by another agent", anns, { status: "resolved", agent: bob }, `resolved ${bob.id} ${sales}`],
    ["assigned, reopened", anns, { status: "reopened" }, `assigned ${ann.id} ${sales}`],
    ["assigned, reopened in another group", anns, { status: "reopened", group: billing }, `new - ${billing}`],
    ["assigned, reopened in no group", anns, { status: "reopened", group: null }, `assigned ${ann.id} -`],
    ["assigned, reopened with an agent", anns, { status: "reopened", agent: bob }, "INVALID_VALUE"],
    ["new, reopened with an agent", fresh, { status: "reopened", agent: bob }, "INVALID_VALUE"],
    ["new, reopened in another group", fresh, { status: "reopened", group: billing }, `new - ${billing}`],
    ["assigned, new", anns, { status: "new" }, `new - ${sales}`],
    ["assigned, new with an agent", anns, { status: "new", agent: bob }, "INVALID_VALUE"],
    ["assigned, new without an agent", anns, { status: "new", agent: null }, `new - ${sales}`],
    ["assigned to nobody named", anns, { status: "assigned" }, "MISSING_PARAMETER"],

    ["resolved, an agent", closed, { status: "assigned", agent: bob }, `assigned ${bob.id} ${sales}`],
    ["resolved, a group only", closed, { status: "assigned", group: billing }, `new - ${billing}`],
    ["resolved, no agent", closed, { status: "assigned", agent: null }, `resolved ${ann.id} ${sales}`],
    ["resolved, no group", closed, { group: null }, `resolved ${ann.id} ${sales}`],
    ["resolved, resolved", closed, { status: "resolved" }, `resolved ${ann.id} ${sales}`],
    ["resolved, resolved by another agent", closed, { status: "resolved", agent: bob }, `resolved ${ann.id} ${sales}`],
    ["resolved, reopened", closed, { status: "reopened" }, `new - ${sales}`],
    ["resolved, reopened in another group", closed, { status: "reopened", group: billing }, `new - ${billing}`],
    ["resolved, reopened in no group", closed, { status: "reopened", group: null }, "new - -"],
    ["resolved, new", closed, { status: "new" }, `new - ${sales}`],
    ["resolved, reopened with an agent", closed, { status: "reopened", agent: ann }, "INVALID_VALUE"],
  ])("%s", (_title, state, change, expected) => {
    expect(outcome(state, change)).toBe(expected);
  });
});

describe("a message", () => {
  const after = (state: ConversationState, arrival: Parameters<typeof stateAfterMessage>[1]) =>
    stateAfterMessage(state, arrival).status;

  test.each<[string, ConversationState, Parameters<typeof stateAfterMessage>[1], ConversationState["status"]]>([
    ["of the user reopens", closed, { actor_type: "user" }, "new"],
    [
      "of the user that answers the interaction does not",
      closed,
      { actor_type: "user", answersInteraction: true },
      "resolved",
    ],
    ["of the user changes nothing in an open conversation", anns, { actor_type: "user" }, "assigned"],
    ["of an agent does not reopen", closed, { actor_type: "agent" }, "resolved"],
    ["of a bot does not reopen", closed, { actor_type: "bot" }, "resolved"],
    ["of the system does not reopen", closed, { actor_type: "system" }, "resolved"],
  ])("%s", (_title, state, arrival, expected) => {
    expect(after(state, arrival)).toBe(expected);
  });

  test("of a bot can restrict the user, and lift the restriction", () => {
    const restricted = stateAfterMessage(anns, { actor_type: "bot", restricts: true });
    expect(restricted).toEqual({ ...anns, restricted: true });
    expect(stateAfterMessage(restricted, { actor_type: "bot" })).toBe(restricted);
    expect(stateAfterMessage(restricted, { actor_type: "user" })).toBe(restricted);
    expect(() => stateAfterMessage({ ...closed, restricted: true }, { actor_type: "user" })).toThrow(
      "no further response",
    );
    expect(() => stateAfterMessage({ ...INITIAL_STATE, restricted: true }, { actor_type: "user" })).toThrow(
      "no further response",
    );
    expect(stateAfterMessage(restricted, { actor_type: "bot", restricts: false })).toEqual(anns);
  });

  test.each<[string, ConversationStateChange]>([
    ["an assignment", { agent: ann }],
    ["a group", { group: billing }],
    ["a reopening", { status: "new" }],
  ])("of the user is accepted again after %s", (_title, change) => {
    const next = stateAfterUpdate({ ...closed, restricted: true }, change);
    expect(stateAfterMessage(next, { actor_type: "user" })).toBe(next);
  });

  test("of the user is still refused after a resolution", () => {
    const resolved = stateAfterUpdate({ ...anns, restricted: true }, { status: "resolved" });
    expect(() => stateAfterMessage(resolved, { actor_type: "user" })).toThrow("takes no further response");
  });
});

const agents = fc.constantFrom(ann, bob, { id: "agent-lone", groups: [] });
const changes: fc.Arbitrary<ConversationStateChange> = fc.record(
  {
    status: fc.constantFrom("new", "assigned", "resolved", "reopened"),
    agent: fc.option(agents),
    group: fc.option(fc.constantFrom(sales, billing)),
  },
  { requiredKeys: [] },
);

/** Returns all states after a sequence of changes; a refused change has no effect. */
const walk = (changesMade: readonly ConversationStateChange[]): ConversationState => {
  let state: ConversationState = INITIAL_STATE;
  for (const change of changesMade)
    try {
      state = stateAfterUpdate(state, change);
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  return state;
};
const ways = fc.array(changes, { maxLength: 8 });
const groupsOf: Readonly<Record<string, readonly string[]>> = { [ann.id]: ann.groups, [bob.id]: bob.groups };

describe("for any sequence of requests", () => {
  test("the agent is a member of the group, and the status states whether there is an agent", () => {
    fc.assert(
      fc.property(ways, (changesMade) => {
        const { status, assigned_agent_id, assigned_group_id } = walk(changesMade);
        if (assigned_agent_id && assigned_group_id)
          expect(groupsOf[assigned_agent_id] ?? []).toContain(assigned_group_id);
        if (status !== "resolved") expect(status === "assigned").toBe(assigned_agent_id !== null);
      }),
      { numRuns: 2_000 },
    );
  });

  test("a repeated update has no further effect", () => {
    fc.assert(
      fc.property(ways, changes, (changesMade, change) => {
        fc.pre(
          !["AGENT_NOT_IN_GROUP", "INVALID_VALUE", "MISSING_PARAMETER"].includes(outcome(walk(changesMade), change)),
        );
        const once = stateAfterUpdate(walk(changesMade), change);
        expect(isSameState(stateAfterUpdate(once, change), once)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  test("a second resolution has no effect, and each resolution and reopening is one interaction", () => {
    fc.assert(
      fc.property(ways, changes, (changesMade, change) => {
        const before = walk(changesMade);
        const after = walk([...changesMade, change]);
        if (before.status === "resolved" && change.status === "resolved") expect(after).toEqual(before);
        const turn = systemMessageOf(before, after);
        expect(turn === "isResolved").toBe(before.status !== "resolved" && after.status === "resolved");
        expect(turn === "isReopen").toBe(before.status === "resolved" && after.status !== "resolved");
      }),
      { numRuns: 2_000 },
    );
  });
});
