import { expect, test } from "@jest/globals";
import { webhookActionsOf, webhookAssignmentOf, isPossibleAction } from "../../../src/events/webhooks/actions.ts";

const [REOPEN, ASSIGN, RESOLVE] = ["conversation_reopen", "conversation_assignment", "conversation_resolution"];

type Change = readonly [string | null, string | null];
interface Changed {
  readonly status?: Change;
  readonly assigned_agent_id?: Change;
  readonly assigned_group_id?: Change;
}

/** An update in the form of the log: its changes, and the state after it. */
const update = (model_changes: Changed, status: string, agent: string | null = null, group: string | null = null) => ({
  kind: "conversation_update" as const,
  status,
  assigned_agent_id: agent,
  assigned_group_id: group,
  changes: JSON.stringify({ model_changes }),
});
const create = (status: string, agent: string | null, group: string | null) => ({
  ...update({}, status, agent, group),
  kind: "conversation_create" as const,
  changes: null,
});

const cases: [string, Parameters<typeof webhookActionsOf>[0], readonly (string | undefined)[]][] = [
  ["assigned", update({ status: ["new", "assigned"], assigned_agent_id: [null, "a"] }, "assigned", "a"), [ASSIGN]],
  ["given to another agent", update({ assigned_agent_id: ["b", "a"] }, "assigned", "a"), [ASSIGN]],
  ["given to a group", update({ assigned_group_id: [null, "g"] }, "new", null, "g"), [ASSIGN]],
  ["taken from its agent", update({ status: ["assigned", "new"], assigned_agent_id: ["a", null] }, "new"), [ASSIGN]],
  ["resolved", update({ status: ["assigned", "resolved"] }, "resolved", "a"), [RESOLVE]],
  [
    "assigned and resolved at once",
    update({ status: ["new", "resolved"], assigned_agent_id: [null, "a"] }, "resolved", "a"),
    [ASSIGN, RESOLVE],
  ],
  ["reopened", update({ status: ["resolved", "new"], assigned_agent_id: ["a", null] }, "new"), [REOPEN]],
  [
    "reopened for another group",
    update(
      { status: ["resolved", "new"], assigned_agent_id: ["a", null], assigned_group_id: ["g", "h"] },
      "new",
      null,
      "h",
    ),
    [REOPEN, ASSIGN],
  ],
  [
    "reopened for an agent",
    update({ status: ["resolved", "assigned"], assigned_agent_id: ["a", "b"] }, "assigned", "b"),
    [REOPEN, ASSIGN],
  ],
  ["reopened for the agent that it had", update({ status: ["resolved", "assigned"] }, "assigned", "a"), [REOPEN]],
  ["started without an agent and a group", create("new", null, null), []],
  ["started in a group", create("new", null, "g"), [ASSIGN]],
  ["begun as resolved", create("resolved", "a", null), [ASSIGN, RESOLVE]],
  ["a message", { kind: "message_create", status: "new", changes: null }, ["message_create"]],
  ["a user", { kind: "user_update", changes: JSON.stringify({ model_changes: {} }) }, []],
  ["an outbound message", { kind: "outbound_message_update", changes: null }, ["outbound_message_update"]],
];

test.each(cases)("%s has its webhook actions, in order", (_, event, actions) => {
  expect(webhookActionsOf(event)).toEqual(actions);
  for (const action of actions) expect(isPossibleAction(event.kind, [action ?? ""])).toBe(true);
  expect(isPossibleAction(event.kind, [])).toBe(false);
});

test("an assignment contains both sides, including unchanged ones", () => {
  expect(webhookAssignmentOf(update({ assigned_agent_id: ["b", "a"] }, "assigned", "a", "g"))).toEqual({
    from: { agent: "b", group: "g" },
    to: { agent: "a", group: "g" },
  });
});
