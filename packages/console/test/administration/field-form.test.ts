import "../browser-globals.ts";
import { describe, expect, test } from "@jest/globals";
import type { FieldSetting } from "@parley/contract";
import fc from "fast-check";
import { newChoice, positionChanges } from "../../src/administration/fields/choices.ts";
import { fieldForm, nameFor, type FieldValues } from "../../src/administration/fields/field-form.ts";
import { movedTo } from "../../src/administration/order.ts";
import { formProblemsOf, formValuesOf, recordOf } from "../../src/forms/schema-form.ts";

describe("the name of a property", () => {
  test.each([
    ["Order number", "cf_order_number"],
    ["  Größe (cm) ", "cf_grosse_cm"],
    ["Ærø 2", "cf_aero_2"],
    ["Łódź", "cf_lodz"],
    ["__a__", "cf_a"],
    ["注文番号", "cf_field"],
    ["!", "cf_field"],
  ])("for %j is %s", (label, name) => {
    expect(nameFor(label, [])).toBe(name);
  });
  test("is another name if it is taken", () => {
    expect(nameFor("Size", ["cf_size", "cf_size_2"])).toBe("cf_size_3");
  });
  test("is accepted by the service for every label, and is not taken", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 90 }), fc.nat({ max: 12 }), (label, count) => {
        const taken: string[] = [];
        for (let index = 0; index < count; index += 1) taken.push(nameFor(label, taken));
        expect(new Set(taken).size).toBe(count);
        for (const name of taken) expect(name).toMatch(/^cf_[a-z0-9_]{1,60}$/);
      }),
    );
  });
});

const FIELD = {
  id: "f1",
  name: "cf_colour",
  label: "Colour",
  type: "DROPDOWN" as const,
  required: true,
  editable: false,
  position: 3,
  choices: [
    { id: "c1", value: "Red" },
    { id: "c2", value: "Blue" },
  ],
};
const emptyField = formValuesOf(fieldForm(undefined, []));
const valuesOf = (field: FieldSetting): FieldValues => formValuesOf(fieldForm(field, []), field);
const settingOf = (field: FieldSetting | undefined, values: FieldValues, taken: readonly string[] = []): FieldSetting =>
  recordOf(
    fieldForm(
      field,
      taken.map((name) => ({ name })),
    ),
    values,
  );
type Row = readonly [id: string | undefined, saved: string | undefined, value: string];
const choices = (...rows: readonly Row[]) => rows.map(([id, saved, value], key) => ({ key, id, saved, value }));

test("a property whose form is saved unchanged stays as it is, without its position; the dialog adds its id", () => {
  const { id: _, position: __, ...unchanged } = FIELD;
  expect(settingOf(FIELD, valuesOf(FIELD))).toEqual(unchanged);
});

test("a new property gets its name from its label, and choices only if its type has them", () => {
  const values = { ...emptyField, label: " Size ", choices: choices([undefined, undefined, " S "]) };
  expect(settingOf(undefined, values, ["cf_size"])).toEqual({
    name: "cf_size_2",
    label: "Size",
    type: "TEXT",
    required: false,
    editable: true,
  });
  expect(settingOf(undefined, { ...values, type: "DROPDOWN" })).toMatchObject({ choices: [{ value: "S" }] });
});

test("a new property has the name that was entered", () => {
  expect(settingOf(undefined, { ...emptyField, label: "Size", name: " cf_width " })).toMatchObject({
    name: "cf_width",
    label: "Size",
  });
});

test("the priority is saved without its choices, which are fixed", () => {
  const priority = { ...FIELD, name: "priority" };
  expect(settingOf(priority, valuesOf(priority))).not.toHaveProperty("choices");
});

describe("a choice keeps its id", () => {
  const saved = (...rows: readonly Row[]) =>
    settingOf(FIELD, { ...valuesOf(FIELD), choices: choices(...rows) }).choices;
  test("when it is renamed or moved", () => {
    expect(saved(["c2", "Blue", "Navy"], ["c1", "Red", "Red"])).toEqual([
      { id: "c2", value: "Navy" },
      { id: "c1", value: "Red" },
    ]);
  });
  test("but not when another row has its former text, which is the choice then", () => {
    expect(saved(["c1", "Red", "Crimson"], [undefined, undefined, "Red"], ["c2", "Blue", "Blue"])).toEqual([
      { value: "Crimson" },
      { value: "Red" },
      { id: "c2", value: "Blue" },
    ]);
  });
});

describe("a property is refused", () => {
  const dropdown = valuesOf(FIELD);
  test.each([
    ["with the name of another property", { ...dropdown, name: " cf_size " }, "name"],
    ["without choices", { ...dropdown, choices: [] }, "choices"],
    ["with a choice without a text", { ...dropdown, choices: [newChoice(0)] }, "choices"],
    [
      "with a choice that is too long",
      { ...dropdown, choices: [{ ...newChoice(0), value: "x".repeat(256) }] },
      "choices",
    ],
    ["with a choice twice", { ...dropdown, choices: choices(["c1", "Red", "a "], ["c2", "Blue", "a"]) }, "choices"],
    [
      "with 501 choices",
      { ...dropdown, choices: Array.from({ length: 501 }, (_, key) => ({ ...newChoice(key), value: `${key}` })) },
      "choices",
    ],
  ] as const)("%s", (_name, values, place) => {
    const others = [{ name: "cf_size" }];
    expect(Object.keys(formProblemsOf(fieldForm(undefined, others), values, others))).toEqual([place]);
  });
  test("not for its choices if its type has no choices", () => {
    expect(formProblemsOf(fieldForm(undefined, []), { ...dropdown, type: "TEXT", choices: [] })).toEqual({});
  });
});

test("positions are counted from 1, and only changed positions are sent", () => {
  const fields = [1, 2, 3].map((position) => ({ id: `f${position}`, name: `cf_${position}`, position }));
  expect(positionChanges(fields)).toEqual([]);
  expect(positionChanges(movedTo(fields, 2, 1))).toEqual([
    { id: "f3", name: "cf_3", position: 2 },
    { id: "f2", name: "cf_2", position: 3 },
  ]);
});
