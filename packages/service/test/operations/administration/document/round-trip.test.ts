import { expect, test } from "@jest/globals";
import fc from "fast-check";
import type { AccountDocument } from "@parley/contract";
import { adminHarness } from "../endpoints/admin-harness.ts";
import { fileFixture } from "../../../../../../test/support/file-fixture.ts";

const w = fileFixture(adminHarness);

const name = fc
  .oneof(fc.constantFrom("Inbox", "Sales", "Größe", "a'b\"c", "💡", "x".repeat(255)), fc.string({ unit: "grapheme" }))
  .filter((text) => text.trim() !== "" && !text.includes("\0") && text.length <= 255);
const named = <T>(item: (name: string) => fc.Arbitrary<T>, max = 4) =>
  fc.uniqueArray(name, { maxLength: max }).chain((names) => fc.tuple(...names.map(item)).map((items) => [...items]));
const some = <T extends object>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(members, { requiredKeys: [] });
const welcome_message = fc.record({ message_parts: fc.tuple(fc.record({ text: fc.record({ content: name }) })) });
const times = fc.constantFrom("00:00", "08:30", "12:00", "17:45").map((from) => [{ from, to: "24:00" }]);

const channels = named((title) =>
  some({
    enabled: fc.boolean(),
    public: fc.boolean(),
    tags: fc.array(name, { maxLength: 3 }),
    welcome_message,
    locales: fc.dictionary(fc.constantFrom("de", "pt-BR", "fr"), fc.record({ name })),
  }).map((rest) => ({ name: title, ...rest })),
);
const groups = named((title) =>
  some({
    description: fc.string().filter((text) => !text.includes("\0")),
    routing_type: fc.constantFrom("OCR", "INTELLIASSIGN", "DISABLED"),
  }).map((rest) => ({ name: title, ...rest })),
);
const statuses = named((title) => fc.constant({ name: title, availability_status: "UNAVAILABLE" as const })).map(
  (list) => [
    ...list.filter(({ name: title }) => title !== "Ready"),
    { name: "Ready", availability_status: "AVAILABLE" as const },
  ],
);
const roles = named((title) => fc.constant({ name: `Role ${title}`.slice(0, 255) })).map((list) => [
  ...new Map(list.map((role) => [role.name, role])).values(),
]);
const fields = fc.uniqueArray(fc.constantFrom("cf_a", "cf_b", "cf_c_1")).chain((names) =>
  fc.tuple(
    ...names.map((key) =>
      fc.oneof(
        some({ required: fc.boolean(), position: fc.integer({ min: 1, max: 99 }) }).map((rest) => ({
          name: key,
          ...rest,
        })),
        fc
          .uniqueArray(name, { minLength: 1, maxLength: 4 })
          .map((choices) => ({ name: key, type: "DROPDOWN" as const, choices })),
      ),
    ),
  ),
);
const templates = fc.uniqueArray(fc.constantFrom("en", "de_AT", "es"), { maxLength: 3 }).map((languages) =>
  languages.map((language) => ({
    namespace: "n",
    name: "t",
    language,
    status: "approved" as const,
    body: { text: `{{1}} ${language}` },
  })),
);

const document = fc
  .record({
    channels,
    groups,
    statuses,
    roles,
    fields,
    templates,
    week: fc.dictionary(fc.constantFrom("monday", "sunday"), times),
  })
  .map(({ week, ...lists }) => ({
    name: "random",
    bundle: { id: 3, type: "SUITE_SALES" as const },
    ...lists,
    business_hours: [
      { timezone: "UTC", week },
      ...lists.groups.slice(0, 1).map(({ name: group }) => ({ group, timezone: "Asia/Kolkata", week })),
    ],
  }));

/** Fields can't change their types, so each document gets its own account. */
test("for any document, the account's export repeats it, changes nothing when applied, and creates an equal account", async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(document, async (random) => {
      const input = { ...random, name: `random-${++count}` } as AccountDocument;
      await w.applyOrThrow(input);
      const exported = await w.exportDocument(input.name);
      expect(await w.applyOrThrow(input, "?prune=true")).toMatchObject({ changes: [] });
      expect(await w.applyOrThrow(exported, "?prune=true")).toMatchObject({ changes: [] });
      expect(await w.exportDocument(input.name)).toEqual(exported);
      const sorted = (list: readonly { name: string }[] | undefined) => (list ?? []).map((item) => item.name).sort();
      for (const section of ["channels", "groups", "roles", "statuses"] as const)
        expect(sorted(exported[section])).toEqual(sorted(input[section]));
      const copy = { ...exported, name: `copy-${count}` };
      await w.applyOrThrow(copy);
      expect(await w.exportDocument(copy.name)).toEqual(copy);
    }),
    { numRuns: 40 },
  );
});

test("after any two documents the account matches the second one, and loses nothing without prune", async () => {
  const lists = fc.record({ channels, groups, roles });
  await fc.assert(
    fc.asyncProperty(lists, lists, async (first, second) => {
      await w.applyOrThrow({ name: "again", ...first });
      const before = await w.exportDocument("again");
      const { changes } = await w.applyOrThrow({ name: "again", ...second });
      expect(changes.filter(({ change }) => change === "remove")).toEqual([]);
      const after = await w.exportDocument("again");
      for (const section of ["channels", "groups", "roles"] as const) {
        const ids = new Map(after[section]?.map((item) => [item.name, item.id]));
        for (const item of before[section] ?? []) expect(ids.get(item.name)).toBe(item.id);
        for (const item of second[section]) expect(ids.has(item.name)).toBe(true);
      }
    }),
    { numRuns: 25 },
  );
});
