import "../browser-globals.ts";
import { describe, expect, test } from "@jest/globals";
import { admin, api, consoleApi, identity, platform, rowsOf } from "@parley/contract";
import { ROLE_VALUES } from "../../src/administration/roles/contract-values.ts";
import { capabilityTexts, roleForm, statusForm } from "../../src/administration/roles/role-form.ts";
import { formProblemsOf } from "../../src/forms/schema-form.ts";

describe("what roles may do", () => {
  test("each capability has endpoints, which all need the same role", () => {
    const mixed = ROLE_VALUES.capabilities.filter(
      ({ endpoints, role }) => endpoints.length === 0 || endpoints.some((each) => each.role !== role),
    );
    expect(mixed).toEqual([]);
  });

  test("every endpoint that only some roles may use belongs to one capability", () => {
    const routes = rowsOf({ ...api, ...consoleApi, ...identity, admin, platform }).flatMap(({ row }) =>
      row.access.session && row.access.session.role !== "AGENT" ? [row.route] : [],
    );
    const listed = ROLE_VALUES.capabilities
      .filter(({ role }) => role !== "AGENT")
      .flatMap(({ endpoints }) => endpoints.map(({ route }) => route));
    expect(listed.toSorted()).toEqual(routes.toSorted());
  });

  test.each([
    ["AGENT", "Change their own profile and status"],
    ["SUPER_USER", "Read metrics and reports"],
    ["ADMIN", "Read the audit log, and see API tokens, identity providers and signing keys"],
    ["ACCOUNT_ADMIN", "Close the account"],
  ] as const)("the role %s may: %s", (role, text) => {
    expect(capabilityTexts(role)).toContain(text);
  });
});

test("a role can’t have the name of another role in other case", () => {
  const others = [{ id: "ADMIN", name: "Admin" }];
  expect(formProblemsOf(roleForm(undefined, others), { name: " ADMIN", description: "" })).toEqual({
    name: "Another role has this name.",
  });
});

describe("a status", () => {
  const here = { id: "1", name: "Here", availability_status: "AVAILABLE" } as const;
  const away = { id: "2", name: "Away", availability_status: "UNAVAILABLE" } as const;
  const ready = { id: "3", name: "Ready", availability_status: "AVAILABLE" } as const;
  const last = "One status at least must make agents available. Make another status available first.";
  test.each([
    ["the only available one becomes unavailable", "UNAVAILABLE", here, [here, away], last],
    ["one of two available statuses becomes unavailable", "UNAVAILABLE", here, [here, away, ready], undefined],
    ["an unavailable one stays so", "UNAVAILABLE", away, [here, away], undefined],
    ["a new one is unavailable", "UNAVAILABLE", undefined, [here], undefined],
    ["the only available one stays so", "AVAILABLE", here, [here, away], undefined],
  ] as const)("if %s: %s", (_what, availability, status, statuses, problem) => {
    const problems = formProblemsOf(statusForm(status, statuses), { name: "Other", availability_status: availability });
    expect(problems.availability_status).toBe(problem);
  });

  test("may keep its name, and not take the name of another role in other case", () => {
    const form = statusForm(here, [here, away]);
    expect(formProblemsOf(form, { name: "Here", availability_status: "AVAILABLE" as const })).toEqual({});
    expect(formProblemsOf(form, { name: " away", availability_status: "AVAILABLE" as const })).toEqual({
      name: "Another status has this name.",
    });
  });
});
