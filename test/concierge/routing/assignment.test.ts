import { describe, expect, test } from "@jest/globals";
import type { Agent, Conversation, ConversationChange, Group } from "@parley/contract";
import type { AccountClient } from "../../../server/lib/account-client.ts";
import { applyAssignment, isAssignable, assignmentPlanOf } from "../../../server/lib/assignment.ts";
import type { RuleActions } from "../../../server/lib/rules.ts";

/** Plans for a rule's actions. Refusals are given here; tests named "-live" use those of the real account. */

const groups = [
  { id: "g-1", name: "Billing" },
  { id: "g-2", name: "Sales" },
] as Group[];
const agents = [
  { id: "a-1", email: "ben@example.com", groups: ["g-1"] },
  { id: "a-2", email: "eve@example.com", groups: ["g-1"], is_deactivated: true },
] as Agent[];

const plan = async (actions: RuleActions, properties: Conversation["properties"] = {}) => {
  const lookups: string[] = [];
  const account = {
    groups: () => Promise.resolve((lookups.push("groups"), groups)),
    agents: () => Promise.resolve((lookups.push("agents"), agents)),
  };
  return { ...(await assignmentPlanOf(actions, properties ? { properties } : {}, account)), asked: lookups };
};

describe("the assignment plan of a rule", () => {
  test.each<[RuleActions, ConversationChange[], string[]]>([
    [{ group: "billing" }, [{ status: "assigned", assigned_group_id: "g-1" }], ["groups"]],
    [
      { group: "Billing", agent: "BEN@example.com" },
      [
        { status: "assigned", assigned_group_id: "g-1" },
        { status: "assigned", assigned_agent_id: "a-1" },
      ],
      ["groups", "agents"],
    ],
    [{ agent: "ben@example.com" }, [{ status: "assigned", assigned_agent_id: "a-1" }], ["groups", "agents"]],
    [{ priority: "High" }, [{ properties: { priority: "High" } }], []],
    [
      { priority: "Low", fields: { cf_reason: "Refund", cf_colours: ["red", "blue"] } },
      [
        { properties: { priority: "Low" } },
        { properties: { cf_reason: "Refund" } },
        { properties: { cf_colours: ["red", "blue"] } },
      ],
      [],
    ],
    [{}, [], []],
  ])("%j", async (actions, changes, expectedLookups) => {
    const made = await plan(actions);
    expect(made.steps.map(({ change }) => change)).toEqual(changes);
    expect(made.failed).toEqual([]);
    expect(made.asked).toEqual(expectedLookups);
  });

  test("reports names that the account lacks, and keeps the other steps", async () => {
    const made = await plan({ group: "Nope", agent: "eve@example.com", priority: "High" });
    expect(made.steps.map(({ change }) => change)).toEqual([{ properties: { priority: "High" } }]);
    expect(made.failed).toEqual([
      'the account has no group "Nope". It has Billing, Sales.',
      "the agent eve@example.com is deactivated.",
    ]);
  });

  test("has no properties for an account without conversation properties", async () => {
    const account = { groups: () => Promise.resolve(groups), agents: () => Promise.resolve(agents) };
    const { steps } = await assignmentPlanOf(
      { group: "Sales", priority: "High", fields: { cf_reason: "x" } },
      {},
      account,
    );
    expect(steps.map(({ change }) => change)).toEqual([{ status: "assigned", assigned_group_id: "g-2" }]);
  });
});

describe("a conversation can be assigned", () => {
  const parts = [{ change: { assigned_group_id: "g-1" } }, { change: { assigned_agent_id: "a-1" } }];
  test.each<[Partial<Conversation>, boolean]>([
    [{ status: "new" }, true],
    [{ status: "resolved" }, false],
    [{ status: "new", assigned_group_id: "g-1" }, true],
    [{ status: "new", assigned_group_id: "g-2" }, false],
    [{ status: "assigned", assigned_agent_id: "a-1" }, true],
    [{ status: "assigned", assigned_agent_id: "a-9" }, false],
    [{ status: "assigned", assigned_group_id: "g-1", assigned_agent_id: "a-9" }, false],
    [{ status: "assigned", assigned_group_id: "g-2", assigned_agent_id: "a-1" }, false],
    [{ status: "new", assigned_group_id: "" }, true],
  ])("%j: %s", (conversation, isIt) => {
    expect(isAssignable(conversation as Conversation, parts)).toBe(isIt);
  });
});

describe("an assignment plan is applied", () => {
  /** An account with the given refusals. */
  const account = (refuses: (change: ConversationChange) => boolean) => {
    const changes: ConversationChange[] = [];
    const change: AccountClient["change"] = (_id, change) => {
      changes.push(change);
      return Promise.resolve(
        refuses(change) ? { ok: false, status: "REFUSED" } : { ok: true, body: {} as Conversation },
      );
    };
    return { changes, change };
  };
  const actions: RuleActions = {
    group: "Billing",
    agent: "ben@example.com",
    priority: "High",
    fields: { cf_reason: "x" },
  };

  test("by one change if the account accepts it", async () => {
    const taking = account(() => false);
    expect(await applyAssignment(taking, "c-1", await plan(actions))).toEqual({
      done: "group Billing, agent ben@example.com, priority High, cf_reason = x",
      failed: [],
    });
    expect(taking.changes).toEqual([
      {
        status: "assigned",
        assigned_group_id: "g-1",
        assigned_agent_id: "a-1",
        properties: { priority: "High", cf_reason: "x" },
      },
    ]);
  });

  test("step by step if the account refuses the combined change", async () => {
    const picky = account(({ properties }) => properties?.["cf_reason"] !== undefined);
    expect(await applyAssignment(picky, "c-1", await plan(actions))).toEqual({
      done: "group Billing, agent ben@example.com, priority High",
      failed: ["the account refuses cf_reason = x (REFUSED)."],
    });
    expect(picky.changes).toHaveLength(5);
  });

  test("by one request for a single step, with the problems of the plan", async () => {
    const refusing = account(() => true);
    const made = await plan({ group: "Nope", priority: "High" });
    expect(await applyAssignment(refusing, "c-1", made)).toEqual({
      done: "",
      failed: [
        'the account has no group "Nope". It has Billing, Sales.',
        "the account refuses priority High (REFUSED).",
      ],
    });
    expect(refusing.changes).toEqual([{ properties: { priority: "High" } }]);
  });

  test("without properties if the plan has no properties", async () => {
    const taking = account(() => false);
    await applyAssignment(taking, "c-1", await plan({ group: "Sales" }));
    expect(taking.changes).toEqual([{ status: "assigned", assigned_group_id: "g-2" }]);
  });

  test("without a request if the plan is empty", async () => {
    const taking = account(() => false);
    const made = await plan({ group: "Nope" });
    expect(await applyAssignment(taking, "c-1", made)).toEqual({ done: "", failed: made.failed });
    expect(taking.changes).toEqual([]);
  });
});
