import { expect, test } from "@jest/globals";
import { AUDIT_ACTIONS, type AuditEntry } from "@parley/contract";
import fc from "fast-check";
import "../browser-globals.ts";

import { actionText, actorText, detailLines, subjectText } from "../../src/administration/audit-log/entry-texts.ts";
import { auditCsv, csvCell, entriesOf } from "../../src/administration/audit-log/audit-csv.ts";
import { filterProblem, filterQuery, isFiltered, NO_FILTER } from "../../src/administration/audit-log/audit-filter.ts";

const known = {
  agent: (id: string) => (id === "a1" ? "Maya Chen" : undefined),
  group: (id: string) => (id === "g1" ? "Billing" : undefined),
};
const entry = (more: Partial<AuditEntry>): AuditEntry => ({
  id: "e1",
  time: "2026-01-31T12:00:00.000Z",
  actor: { type: "agent", id: "a1", name: "maya@acme.example" },
  action: "token.create",
  details: {},
  ...more,
});

test("each action has a sentence of its own", () => {
  const sentences = AUDIT_ACTIONS.map((action) => actionText({ action }));
  expect(new Set(sentences).size).toBe(AUDIT_ACTIONS.length);
});

const ACTORS: readonly (readonly [AuditEntry["actor"], string])[] = [
  [{ type: "agent", id: "a1", name: "maya@acme.example" }, "Maya Chen"],
  [{ type: "agent", id: "gone", name: "gone@acme.example" }, "gone@acme.example"],
  [{ type: "token", id: "t1", name: "Nightly sync" }, "Nightly sync"],
  [{ type: "operator" }, "Operator"],
  [{ type: "platform" }, "App platform"],
  [{ type: "system" }, "Parley itself"],
];
test.each(ACTORS)("the actor %j is %s", (actor, text) => {
  expect(actorText({ actor }, known)).toBe(text);
});

const SUBJECTS: readonly (readonly [Partial<AuditEntry>, string])[] = [
  [{ action: "agent.change", subject: "a1", details: { email: "maya@acme.example" } }, "Maya Chen"],
  [{ action: "agent.delete", subject: "a2", details: { email: "ben@acme.example" } }, "ben@acme.example"],
  [{ action: "token.revoke", subject: "t1", details: { name: "Nightly sync" } }, "Nightly sync"],
  [{ action: "webhook.delete", subject: "w1", details: { host: "hooks.example.com" } }, "hooks.example.com"],
  [{ action: "app.install", subject: "concierge", details: { members: ["1.0.0"] } }, "concierge"],
  [{ action: "audit_log.export", details: {} }, ""],
];
test.each(SUBJECTS)("%j is about %j", (more, text) => {
  expect(subjectText(entry(more), known)).toBe(text);
});

test("details are in plain words, and leave out the name that stands beside", () => {
  const lines = detailLines(
    entry({
      action: "agent.change",
      subject: "a2",
      details: {
        email: "ben@acme.example",
        members: ["groups", "is_deactivated"],
        groups: ["g1"],
        is_deactivated: true,
      },
    }),
    known,
  );
  expect(lines).toEqual(["Changed: groups, is_deactivated", "Groups: Billing", "Deactivated: yes"]);
});

test("each object that a configuration changed is a line", () => {
  const changes = [
    { change: "create", section: "groups", name: "Returns" },
    { change: "update", section: "channels", name: "Support", members: ["name", "enabled"] },
  ];
  expect(detailLines(entry({ action: "account.change", details: { changes } }), known)).toEqual([
    "groups Returns: created",
    "channels Support: changed (name, enabled)",
  ]);
});

test("a detail of a later release has its own name", () => {
  expect(detailLines(entry({ details: { colour: { of: "door" } } }), known)).toEqual(["colour: of: door"]);
});

/** Reads a CSV file as RFC 4180 describes it. */
const rowsIn = (csv: string): string[][] => {
  const rows: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  for (let found = cell.exec(csv); found; found = cell.exec(csv)) {
    rows.at(-1)?.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? "");
    if (found[3] === "\r\n") rows.push([]);
  }
  return rows.slice(0, -1);
};

test("a CSV file holds each entry in a row, with any characters in its texts", () => {
  const text = fc.string({ unit: fc.constantFrom("a", '"', ",", "\n", "\r", "=", "ü", " ") });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 5 }), (names) => {
      const entries = names.map((name) => entry({ details: { name }, subject: "t1" }));
      const rows = rowsIn(auditCsv(entries, known).slice(1));
      expect(rows).toHaveLength(names.length + 1);
      expect(rows.map((row) => row.length)).toEqual(rows.map(() => 10));
      names.forEach((name, index) => {
        const shown = name === "" ? "t1" : name;
        expect([shown, `'${shown}`]).toContain(rows[index + 1]?.[7]);
      });
    }),
  );
});

test.each(["=1+1", "+1", "-1", "@sum(a)", "\t=1", "\n=1", "＝1"])("a spreadsheet does not evaluate %j", (value) => {
  expect(csvCell(value).replace(/^"/, "").startsWith("'")).toBe(true);
});

test("an export is read line by line", () => {
  const [one, other] = [entry({}), entry({ id: "e2" })];
  expect(entriesOf(`${JSON.stringify(one)}\n${JSON.stringify(other)}\n`)).toEqual([one, other]);
  expect(entriesOf("")).toEqual([]);
});

test("the filters include the last day, and nothing that is empty", () => {
  expect([filterQuery(NO_FILTER), isFiltered(NO_FILTER)]).toEqual([{}, false]);
  const query = filterQuery({ ...NO_FILTER, from: "2026-01-31", until: "2026-01-31", subject: " x " });
  expect(query).toEqual({
    from: new Date(2026, 0, 31).toISOString(),
    until: new Date(2026, 1, 1).toISOString(),
    subject: "x",
  });
});

test("a range whose end is before its beginning is refused", () => {
  expect(filterProblem({ from: "2026-02-01", until: "2026-01-31" })).toBeDefined();
  expect(filterProblem({ from: "2026-02-01", until: "2026-02-01" })).toBeUndefined();
  expect(filterProblem({ from: "2026-02-01", until: "" })).toBeUndefined();
});
