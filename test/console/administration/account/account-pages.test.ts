import { describe, expect, test } from "@jest/globals";
import { EDITED_MEMBERS, ENTERED, OPERATOR_CHANGES, REFUSED_PARTS } from "./account-pages.ts";
import { documentMembers, membersWithValue } from "./document-members.ts";

/** What `parley account apply` can write is edited on a page of the administration, or a reason is given. */

const keys = Object.keys(EDITED_MEMBERS);
const keyOf = (member: string): string | undefined =>
  keys.find((key) => key === member) ??
  keys.find((key) => {
    const editing = EDITED_MEMBERS[key];
    return editing && "only" in editing && (member.startsWith(`${key}.`) || member.startsWith(`${key}[`));
  });
const keysOf = (only: string): readonly string[] =>
  keys.filter((key) => {
    const editing = EDITED_MEMBERS[key];
    return editing && "only" in editing && editing.only === only;
  });
const entered = membersWithValue(ENTERED);

test("every member of the account document is edited on a page, or a reason says why not", () => {
  const members = documentMembers();
  expect(members.length).toBeGreaterThan(90);
  expect(members.filter((member) => keyOf(member) === undefined)).toEqual([]);
});

test("the table has no member that the document does not have", () => {
  const used = new Set(documentMembers().map(keyOf));
  expect(keys.filter((key) => !used.has(key))).toEqual([]);
});

test("the round trip enters a value for every member that a page edits", () => {
  const edited = keys.filter((key) => "page" in (EDITED_MEMBERS[key] ?? {}));
  expect(edited.filter((key) => !entered.includes(key))).toEqual([]);
});

describe("a reason is checked with a service", () => {
  test("for each member that only the operator changes", () => {
    expect(Object.keys(OPERATOR_CHANGES).toSorted()).toEqual(keysOf("operator").toSorted());
  });
  test("for each kind of part that a welcome message can't have", () => {
    const kinds = keysOf("other messages").map((key) => key.split("message_parts[].")[1]?.split(".")[0]);
    expect(Object.keys(REFUSED_PARTS).toSorted()).toEqual(kinds.toSorted());
  });
});
