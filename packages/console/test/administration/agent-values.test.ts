import "../browser-globals.ts";
import { describe, expect, test } from "@jest/globals";
import type { Agent } from "@parley/contract";
import {
  agentForm,
  agentSettingsOf,
  changeOf,
  creationOf,
  filterAgents,
  mayGive,
  noFilter,
  rankOf,
  workProblemsOf,
} from "../../src/administration/agents/agent-values.ts";
import { formProblemsOf, formValuesOf } from "../../src/forms/schema-form.ts";

const agent = (fields: Partial<Agent>): Agent => ({
  ...{ id: "1", created_time: "2026-01-01T00:00:00.000Z", email: "ann@example.com", groups: [] },
  ...{ availability_status: "AVAILABLE", is_deactivated: false, is_deleted: false, login_status: false },
  ...{ role_id: "AGENT", role_name: "Agent" },
  ...fields,
});

describe("roles", () => {
  test.each([
    ["AGENT", "ACCOUNT_ADMIN", false],
    ["ADMIN", "ACCOUNT_ADMIN", false],
    ["ADMIN", "ADMIN", true],
    ["ADMIN", "0000-a-custom-role", true],
    ["ACCOUNT_ADMIN", "ACCOUNT_ADMIN", true],
  ] as const)("a session with the role %s may give %s: %s", (role, given, expected) => {
    expect(mayGive({ agent_id: "me", role }, given)).toBe(expected);
  });

  test("a custom role ranks as Agent", () => {
    expect(rankOf("0000-a-custom-role")).toBe("AGENT");
  });
});

describe("the filter", () => {
  const agents = [
    agent({ id: "zoe", first_name: "Zoë", last_name: "Ångström", email: "z@acme.example", groups: ["sales"] }),
    agent({
      id: "bo",
      first_name: "Bo",
      email: "bo@other.example",
      is_deactivated: true,
      groups: ["sales", "support"],
    }),
    agent({ id: "nameless", email: "a.nameless@acme.example" }),
  ];
  test.each([
    ["nothing", {}, ["nameless", "bo", "zoe"]],
    ["a name without accents and case", { text: "angstrom ZOE" }, ["zoe"]],
    ["a word of the name and one of the address", { text: " zoë  acme " }, ["zoe"]],
    ["an address", { text: "@acme" }, ["nameless", "zoe"]],
    ["a word that nobody has", { text: "zoe bo" }, []],
    ["active ones", { state: "active" }, ["nameless", "zoe"]],
    ["deactivated ones", { state: "deactivated" }, ["bo"]],
    ["a group", { group: "sales" }, ["bo", "zoe"]],
    ["a group and a state", { group: "support", state: "active" }, []],
  ] as const)("by %s lists %j, by name", (_what, filter, ids) => {
    expect(filterAgents(agents, { ...noFilter, ...filter }).map(({ id }) => id)).toEqual(ids);
  });
});

describe("the form", () => {
  const initial = formValuesOf(agentForm(false));
  test.each([
    ["  ", "Enter the e-mail address."],
    ["a nn@example.com", "Enter a complete address, such as ana@example.com."],
    ["taken@example.com", "Another agent has this e-mail address."],
  ])("with the address %j has the problem %j", (email, problem) => {
    expect(formProblemsOf(agentForm(false, "taken@example.com"), { ...initial, email }).email).toBe(problem);
  });

  test("of a new agent omits empty values", () => {
    expect(creationOf({ ...initial, email: " a@b ", first_name: "Ann" })).toEqual({
      ...{ email: "a@b", first_name: "Ann", role_id: "AGENT", groups: [] },
    });
  });

  test("contains only changed values: the role, which would set the scope, is not given again", () => {
    const before = formValuesOf(agentForm(false), agent({ first_name: "Ann", phone: "030", groups: ["sales"] }));
    expect(changeOf(before, before)).toEqual({});
    expect(changeOf(before, { ...before, phone: "", last_name: "Lee" })).toEqual({ phone: "", last_name: "Lee" });
    expect(changeOf(before, { ...before, role_id: "ADMIN", groups: [] })).toEqual({ role_id: "ADMIN", groups: [] });
  });
});

describe("the capacity", () => {
  test.each(["", " ", "x", "-1", "1.5", "1e3", "10001"])("%j is refused", (capacity) => {
    expect(workProblemsOf({ scope: "Me", capacity })).toEqual({
      capacity: "Enter a whole number from 0 to 10,000.",
    });
  });
  test.each(["0", " 7 ", "10000"])("%j is accepted", (capacity) => {
    expect(workProblemsOf({ scope: "Me", capacity })).toEqual({});
  });
  test("and the scope are sent only if they were changed", () => {
    const before = { scope: "Me", capacity: "5" } as const;
    expect(agentSettingsOf(before, before)).toEqual({});
    expect(agentSettingsOf(before, { scope: "Global", capacity: " 6 " })).toEqual({
      scope: "Global",
      agent_capacity: 6,
    });
  });
});
