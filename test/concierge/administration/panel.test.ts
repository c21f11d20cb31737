import { describe, expect, test } from "@jest/globals";
import type { Conversation, User } from "@parley/contract";
import fc from "fast-check";
import type { createAccountClient } from "../../../server/lib/account-client.ts";
import {
  agentArgument,
  idArgument,
  nameOfAgent,
  textArgument,
  timeArgument,
  createPanelHandler,
  refusalOfPostponed,
  type PanelDeps,
} from "../../../server/lib/panel-function.ts";
import { RequestRefusedError, PostponedError } from "../../../server/lib/errors.ts";
import { panelConversation, panelCustomer } from "../../../server/lib/panel-view.ts";
import {
  REPLY_TEMPLATE_LINES_MAX,
  parseReplyTemplates,
  findReplyTemplate,
} from "../../../server/lib/reply-templates.ts";
import { planForAgent, planForEscalation, planForGroup } from "../../../server/panel-assign.ts";

const TIME = "2027-03-02T09:00:00.000Z";

describe("a line of the replies", () => {
  test.each([
    ["Thank => Thank you!", { name: "Thank", text: "Thank you!" }],
    [" Two  words=>a => b ", { name: "Two  words", text: "a => b" }],
    ["Hi => {{#if user.first_name}}Hi{{/if}}", { name: "Hi", text: "{{#if user.first_name}}Hi{{/if}}" }],
    [`${"x".repeat(80)} => y`, { name: "x".repeat(80), text: "y" }],
  ])("%j is a reply", (setting, reply) => {
    expect(parseReplyTemplates(setting)).toEqual({ templates: [{ line: 1, ...reply }], problems: [] });
  });

  test.each([
    ["Thank you", 'write "Name => text".'],
    ["=> Thank you", 'write "Name => text".'],
    ["Thank =>", 'write "Name => text".'],
    ["=>", 'write "Name => text".'],
    [`${"x".repeat(81)} => y`, "the name has more than 80 characters."],
    ["Thank => {{#if user}}x", expect.stringContaining("isn't closed")],
    ["Thank => {{#each user}}{{/each}}", expect.stringContaining("{{#each}} can't be used")],
  ])("%j is a problem with a reason", (setting, message) => {
    expect(parseReplyTemplates(setting)).toEqual({ templates: [], problems: [{ line: 1, message }] });
  });

  test("with a duplicate name, regardless of spelling, is a problem; the other lines take effect", () => {
    const { templates, problems } = parseReplyTemplates("Thank => a\n\nTHANK => b\nnone\nBye => c");
    expect(templates.map(({ line, name }) => [line, name])).toEqual([
      [1, "Thank"],
      [5, "Bye"],
    ]);
    expect(problems).toEqual([
      { line: 3, message: '"THANK" is the name of line 1 already.' },
      { line: 4, message: 'write "Name => text".' },
    ]);
  });

  test("beyond the maximum is a problem, and a duplicate name is still reported as such", () => {
    const lines = Array.from({ length: REPLY_TEMPLATE_LINES_MAX }, (_, index) => `Reply ${index} => text`);
    expect(parseReplyTemplates(lines.join("\n")).problems).toEqual([]);
    const { templates, problems } = parseReplyTemplates([...lines, "One more => text", "Reply 3 => text"].join("\n"));
    expect(templates).toHaveLength(REPLY_TEMPLATE_LINES_MAX);
    expect(problems).toEqual([
      { line: REPLY_TEMPLATE_LINES_MAX + 1, message: `there are at most ${REPLY_TEMPLATE_LINES_MAX} replies.` },
      { line: REPLY_TEMPLATE_LINES_MAX + 2, message: '"Reply 3" is the name of line 4 already.' },
    ]);
  });

  test("is a reply or a problem for any text, and a reply is found by its name", () => {
    const line = fc.oneof(
      fc.string(),
      fc.tuple(fc.string(), fc.string()).map(([name, text]) => `${name} => ${text}`),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const { templates, problems } = parseReplyTemplates(lines.join("\n"));
        const lineNumbers = [...templates, ...problems].map((one) => one.line);
        expect(new Set(lineNumbers).size).toBe(lineNumbers.length);
        for (const one of templates) expect(findReplyTemplate(templates, ` ${one.name} `)).toBe(one);
      }),
    );
    expect(findReplyTemplate([], "Thank")).toBeUndefined();
  });
});

describe("an argument of the page", () => {
  test.each(["a", "019b8d62-7a80-7400-8000-0c2cdb91519e", "A_1", "x".repeat(64)])("%j is an id", (id) => {
    expect(idArgument({ id }, "id")).toBe(id);
  });
  test.each([undefined, null, 7, {}, "", "a/b", "..", "a b", "a?b", "a\n", "x".repeat(65)])("%j is not an id", (id) => {
    expect(() => idArgument({ id }, "id")).toThrow(new RequestRefusedError(400, "id must be an id."));
  });
  test.each([
    ["a", true],
    ["x".repeat(100), true],
    ["x".repeat(101), false],
    ["", false],
    [7, false],
    [undefined, false],
  ])("%j as a text: %s", (name, isTaken) => {
    if (isTaken) return expect(textArgument({ name }, "name")).toBe(name);
    expect(() => textArgument({ name }, "name")).toThrow("name must be a text of at most 100 characters.");
  });
  test.each([undefined, 7, "", "soon", {}])("%j is not a time", (now) => {
    expect(() => timeArgument({ now }, "now")).toThrow("now must be a time such as 2027-03-02T09:00:00.000Z.");
  });
  test("an ISO 8601 time is accepted", () => expect(timeArgument({ now: TIME }, "now")).toEqual(new Date(TIME)));

  test.each([
    [
      { id: "a", first_name: "Ada", last_name: "Byron" },
      { id: "a", first_name: "Ada", last_name: "Byron" },
      "Ada Byron",
    ],
    [{ id: "a", first_name: "Ada", email: "a@b.c" }, { id: "a", first_name: "Ada" }, "Ada"],
    [{ id: "a", first_name: 7, last_name: "" }, { id: "a" }, "an agent"],
    [{ id: "a", last_name: "x".repeat(101) }, { id: "a", last_name: "x".repeat(100) }, "x".repeat(100)],
  ])("%j is an agent", (agentArgs, agent, name) => {
    expect(agentArgument({ agent: agentArgs })).toEqual(agent);
    expect(nameOfAgent(agent)).toBe(name);
  });
  test.each([undefined, null, "a", 7, { id: 7 }, {}])("%j is not an agent", (agent) => {
    expect(() => agentArgument({ agent })).toThrow("agent.id must be an id.");
  });
});

test("a conversation is shown without empty members", () => {
  const conversation = {
    conversation_id: "c",
    channel_id: "t",
    status: "new",
    user_id: "u",
    created_time: TIME,
    updated_time: "2027-03-02T10:00:00.000Z",
    assigned_group_id: "",
    assigned_agent_id: "",
  } as Conversation;
  const shown = { id: "c", status: "new", topic_id: "t", began: TIME, updated: "2027-03-02T10:00:00.000Z" };
  expect(panelConversation(conversation)).toEqual(shown);
  expect(panelConversation({ ...conversation, properties: { priority: "" } })).toEqual(shown);
  expect(panelConversation({ ...conversation, properties: { priority: ["Low"] } })).toEqual(shown);
  const expected = { assigned_group_id: "g", assigned_agent_id: "a", properties: { priority: "Low", cf_x: "y" } };
  expect(panelConversation({ ...conversation, ...expected })).toEqual({
    ...shown,
    group_id: "g",
    agent_id: "a",
    priority: "Low",
  });
});

test("a customer is shown without empty members and with the language once", () => {
  const user: User = { id: "u", created_time: TIME, updated_time: TIME, login_status: false };
  expect(panelCustomer(user)).toEqual({ id: "u", name: "", properties: [], since: TIME });
  const properties = [
    { name: "plan", value: "Pro" },
    { name: "language", value: "de" },
    { name: "locale", value: "1" },
    { name: "note", value: "" },
  ];
  const expected = { ...user, first_name: "Ada", last_name: "Byron", email: "a@b.c", phone: "+1", properties };
  expect(panelCustomer(expected)).toEqual({
    id: "u",
    name: "Ada Byron",
    email: "a@b.c",
    phone: "+1",
    language: "de",
    properties: [
      { name: "plan", value: "Pro" },
      { name: "locale", value: "1" },
    ],
    since: TIME,
  });
  expect(panelCustomer({ ...user, last_name: "Byron", email: "" })).toMatchObject({ name: "Byron" });
});

describe("the plan of an assignment", () => {
  const ada = { id: "ada", first_name: "Ada" };
  const billing = { id: "g1", name: "Billing" };
  const toAda = { status: "assigned", assigned_agent_id: "ada" };
  const toBilling = { status: "assigned", assigned_group_id: "g1" };
  const urgent = { priority: "Urgent" };

  test.each([
    [{ status: "new" as const }, toAda, "The conversation is yours."],
    [{ status: "assigned" as const, assigned_agent_id: "ben" }, toAda, "The conversation is yours."],
    [{ status: "resolved" as const, assigned_agent_id: "ada" }, toAda, "The conversation is yours."],
    [{ status: "assigned" as const, assigned_agent_id: "ada" }, undefined, "The conversation is yours already."],
  ])("for an agent from %j", (present, change, message) => {
    expect(planForAgent(present, ada)).toEqual({ ...(change && { change }), message, logText: "Assigned to Ada." });
  });

  test.each([
    [{ status: "new" as const }, toBilling, "The conversation is in Billing now."],
    [{ status: "new" as const, assigned_group_id: "g2" }, toBilling, "The conversation is in Billing now."],
    [
      { status: "assigned" as const, assigned_group_id: "g1", assigned_agent_id: "ben" },
      toBilling,
      "The conversation is in Billing now.",
    ],
    [{ status: "resolved" as const, assigned_group_id: "g1" }, toBilling, "The conversation is in Billing now."],
    [{ status: "new" as const, assigned_group_id: "g1" }, undefined, "The conversation waits in Billing already."],
  ])("for a group from %j", (present, change, message) => {
    const logText = "Assigned to the group Billing.";
    expect(planForGroup(present, billing)).toEqual({ ...(change && { change }), message, logText });
  });

  test.each([
    [{ status: "new" as const }, { ...toBilling, properties: urgent }],
    [{ status: "resolved" as const, assigned_group_id: "g1", properties: urgent }, toBilling],
    [{ status: "new" as const, assigned_group_id: "g2", properties: urgent }, toBilling],
    [{ status: "new" as const, assigned_group_id: "g1", properties: { priority: "Low" } }, { properties: urgent }],
    [{ status: "assigned" as const, assigned_group_id: "g1", assigned_agent_id: "x", properties: urgent }, undefined],
  ])("for an escalation from %j", (present, change) => {
    expect(planForEscalation(present, billing)).toEqual({
      ...(change && { change }),
      message: change ? "Escalated to Billing." : "The conversation is escalated already.",
      logText: "Escalated to Billing, priority Urgent.",
    });
  });

  test.each([
    [{ status: "new" as const, assigned_group_id: "g2" }, { properties: urgent }],
    [{ status: "resolved" as const }, { status: "reopened", properties: urgent }],
    [{ status: "resolved" as const, properties: urgent }, { status: "reopened" }],
    [{ status: "assigned" as const, assigned_agent_id: "x", properties: urgent }, undefined],
  ])("for an escalation without a group from %j", (present, change) => {
    expect(planForEscalation(present, undefined)).toEqual({
      ...(change && { change }),
      message: change ? "Escalated." : "The conversation is escalated already.",
      logText: "Escalated, priority Urgent.",
    });
  });
});

describe("the reason why a panel function fails", () => {
  test.each([
    ["slow", 60, 504, "The messaging service is slow at the moment."],
    ["allowance", 89, 429, "The account's calls of this hour are used up. It goes on in about a minute."],
    ["allowance", 90, 429, "The account's calls of this hour are used up. It goes on in about 2 minutes."],
    ["allowance", 1_801, 429, "The account's calls of this hour are used up. It goes on in about 31 minutes."],
    ["calls", 30, 500, "This takes more calls than Concierge may make at once."],
    ["unreachable", 60, 503, "The messaging service can't be reached at the moment."],
    [
      "refused",
      600,
      403,
      "The messaging service refuses Concierge's API key. An admin can save a valid one on the installation page.",
    ],
    ["conflict", 10, 409, "Somebody else changes this at the same moment: look again, then try once more."],
    ["external-system", 1, 503, "This can't be done at the moment."],
  ] as const)("%s for %d s is told in words", (cause, seconds, status, message) => {
    expect(refusalOfPostponed(new PostponedError(cause, seconds, "inside"))).toMatchObject({ status, message });
  });

  test.each([
    ["a refusal", new RequestRefusedError(404, "Gone."), { status: 404, message: "Gone." }, []],
    [
      "what is put off",
      new PostponedError("slow", 1, "inside"),
      { status: 504, message: "The messaging service is slow at the moment." },
      [],
    ],
    [
      "an error",
      new Error("inside"),
      { status: 500, message: "Concierge has failed at this; its log says why." },
      ["Agent panel request failed: inside"],
    ],
    [
      "anything else",
      "odd",
      { status: 500, message: "Concierge has failed at this; its log says why." },
      ["Agent panel request failed: odd"],
    ],
  ])("%s has a message for the agent, and an entry in the log if it is unexpected", async (_, thrown, error, lines) => {
    const loggedLines: unknown[] = [];
    const rendered: unknown[] = [];
    const clients = {
      request: {} as Parameters<typeof createAccountClient>[0],
      db: {} as PanelDeps["db"],
      log: { error: (line: string) => void loggedLines.push(line) },
      render: (...answer: unknown[]) => void rendered.push(answer),
    };
    const payload = { iparams: {}, currentHost: { subscribed_modules: [], endpoint_urls: {} }, name: "Thank" };
    const panel = createPanelHandler(() => clients);
    await panel(() => Promise.reject(thrown as Error))(payload);
    await panel((args) => Promise.resolve(args))(payload);
    expect(rendered).toEqual([[error], [null, { name: "Thank" }]]);
    expect(loggedLines).toEqual(lines);
  });
});
