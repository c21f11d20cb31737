import { beforeEach, describe, expect, test } from "@jest/globals";
import { adminHarness } from "../endpoints/admin-harness.ts";
import { COMPLETE_DOCUMENT } from "./complete-document-fixture.ts";
import { fileFixture } from "../../../../../../test/support/file-fixture.ts";

/** `remove` of an account document: entries by id or name, whatever else the lists have. */

const w = fileFixture(adminHarness);
beforeEach(() => w.applyOrThrow(COMPLETE_DOCUMENT));

const removedBy = async (document: object): Promise<string[]> =>
  (await w.applyOrThrow({ name: "lamps", ...document })).changes.map(
    ({ change, section, name }) => `${change} ${section} ${name}`,
  );

describe("PUT /admin/accounts/{account} 200 removes what `remove` names", () => {
  test("by name, and keeps everything else", async () => {
    const before = await w.exportDocument("lamps");
    expect(await removedBy({ remove: { groups: ["Sales"] } })).toContain("remove groups Sales");
    const after = await w.exportDocument("lamps");
    expect(after["groups"]).toEqual((before["groups"] as { name: string }[]).filter(({ name }) => name !== "Sales"));
    expect(after["channels"]).toEqual(before["channels"]);
  });

  test("by id, and by the names of templates and business hours", async () => {
    const { groups, templates } = (await w.exportDocument("lamps")) as {
      groups: { id: string; name: string }[];
      templates: { namespace: string; name: string; language: string }[];
    };
    const [group] = groups;
    const [template] = templates;
    const named = `${template?.namespace}/${template?.name} (${template?.language})`;
    const remove = { groups: [group?.id.toUpperCase()], templates: [named], business_hours: ["the account"] };
    expect((await removedBy({ remove })).toSorted()).toEqual(
      expect.arrayContaining([
        `remove groups ${group?.name}`,
        `remove templates ${named}`,
        "remove business_hours the account",
      ]),
    );
  });

  test("together with changes of other entries of the list", async () => {
    const changes = await removedBy({ groups: [{ name: "Packing" }], remove: { groups: ["Sales"] } });
    expect(changes).toEqual(expect.arrayContaining(["create groups Packing", "remove groups Sales"]));
    await w.applyOrThrow({ name: "lamps", remove: { groups: ["Packing"] } });
  });
});

test.each([
  ["a name that there is not", { groups: ["Nowhere"] }, {}, "remove.groups[0] names nothing that there is: Nowhere"],
  ["a built-in role", { roles: ["Agent"] }, {}, "remove.roles[0] is built in and can't be removed: Agent"],
  ["a built-in field", { fields: ["priority"] }, {}, "remove.fields[0] is built in and can't be removed: priority"],
  [
    "what the list has",
    { groups: ["Sales"] },
    { groups: [{ name: "Sales" }] },
    "groups[0] is named by remove.groups as well: leave it out of one of them",
  ],
  ["an entry that is not a text", { groups: [1] }, {}, "remove.groups[0] must be a string"],
])("PUT /admin/accounts/{account} INVALID_VALUE for %s, and changes nothing", async (_title, remove, more, message) => {
  const before = await w.exportDocument("lamps");
  const { code, body } = await w.applyDocument({ name: "lamps", ...more, remove });
  expect([code, body]).toEqual([400, expect.objectContaining({ message: expect.stringContaining(message) })]);
  expect(await w.exportDocument("lamps")).toEqual(before);
});
