import "../browser-globals.ts";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  emptyField,
  nameFor,
  newChoice,
  positionChanges,
  fieldProblemsOf,
  fieldSettingOf,
  fieldValuesOf,
} from "../../src/administration/fields/field-values.ts";
import { movedTo } from "../../src/administration/order.ts";

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
type Row = readonly [id: string | undefined, saved: string | undefined, value: string];
const choices = (...rows: readonly Row[]) => rows.map(([id, saved, value], key) => ({ key, id, saved, value }));

test("a property whose form is saved unchanged stays as it is, without its position", () => {
  const { position: _, ...unchanged } = FIELD;
  expect(fieldSettingOf(FIELD, fieldValuesOf(FIELD), [])).toEqual(unchanged);
});

test("a new property gets its name from its label, and choices only if its type has them", () => {
  const values = { ...emptyField, label: " Size ", choices: choices([undefined, undefined, " S "]) };
  expect(fieldSettingOf(undefined, values, ["cf_size"])).toEqual({
    name: "cf_size_2",
    label: "Size",
    type: "TEXT",
    required: false,
    editable: true,
  });
  expect(fieldSettingOf(undefined, { ...values, type: "DROPDOWN" }, [])).toMatchObject({ choices: [{ value: "S" }] });
});

test("a new property has the name that was entered", () => {
  expect(fieldSettingOf(undefined, { ...emptyField, label: "Size", name: " cf_width " }, [])).toMatchObject({
    name: "cf_width",
    label: "Size",
  });
});

test("the priority is saved without its choices, which are fixed", () => {
  const priority = { ...FIELD, name: "priority" };
  expect(fieldSettingOf(priority, fieldValuesOf(priority), [])).not.toHaveProperty("choices");
});

describe("a choice keeps its id", () => {
  const saved = (...rows: readonly Row[]) =>
    fieldSettingOf(FIELD, { ...fieldValuesOf(FIELD), choices: choices(...rows) }, []).choices;
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
  const dropdown = fieldValuesOf(FIELD);
  test.each([
    ["without a label", { ...dropdown, label: " " }, "label"],
    ["with a label that is too long", { ...dropdown, label: "x".repeat(256) }, "label"],
    ["with a name that no property can have", { ...dropdown, name: "Size" }, "name"],
    ["with the name of another property", { ...dropdown, name: " cf_size " }, "name"],
    ["without choices", { ...dropdown, choices: [] }, "choices"],
    ["with a choice without a text", { ...dropdown, choices: [newChoice(0)] }, "choices"],
    ["with a choice twice", { ...dropdown, choices: choices(["c1", "Red", "a "], ["c2", "Blue", "a"]) }, "choices"],
    [
      "with 501 choices",
      { ...dropdown, choices: Array.from({ length: 501 }, (_, key) => ({ ...newChoice(key), value: `${key}` })) },
      "choices",
    ],
  ] as const)("%s", (_name, values, place) => {
    expect(Object.keys(fieldProblemsOf(values, ["cf_size"]))).toEqual([place]);
  });
  test("not for its choices if its type has no choices", () => {
    expect(fieldProblemsOf({ ...dropdown, type: "TEXT", choices: [] }, [])).toEqual({});
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
