import { isObject, type EntityField, type EntityFieldType } from "@parley/contract";
import { refuseCall } from "./app-refused.ts";

type Value = Readonly<Record<string, unknown>>;
type Problem = string | undefined;

/** An error in a record. @shape name: of the field */
interface FieldError {
  readonly name: string;
  readonly message: string;
}

function refuseFields(errors: readonly FieldError[]): never {
  refuseCall(400, "Invalid input field", { errors, errorSource: "APP" });
}
export function refuseQuery(message: string): never {
  refuseCall(400, message, { errorSource: "APP" });
}

/** Limits of field values, as on other app hosts. @units characters; digits */
const FIELD_LENGTH_MAX = { text: 64, paragraph: 2_048, digits: 15 };
/** Maximum number of conditions that a query expands to. */
const QUERY_CONDITIONS_MAX = 100;

/** Allowed in JSON text, but not in PostgreSQL. */
const NUL = "\0";

const textProblem =
  (maxLength: number) =>
  (value: unknown): Problem =>
    typeof value !== "string" || value.length > maxLength || value.includes(NUL)
      ? `should be a text of at most ${maxLength} characters`
      : undefined;
const timeProblem =
  (pattern: RegExp, form: string) =>
  (value: unknown): Problem =>
    typeof value === "string" && pattern.test(value) && !Number.isNaN(Date.parse(value))
      ? undefined
      : `should be ${form}`;

const choiceOf = ({ choices = [] }: EntityField, value: unknown) =>
  choices.find((choice) => [choice.value, choice.id, String(choice.id)].includes(value as string | number));

const PROBLEMS: Readonly<Record<Exclude<EntityFieldType, "section">, (value: unknown, field: EntityField) => Problem>> =
  {
    text: textProblem(FIELD_LENGTH_MAX.text),
    paragraph: textProblem(FIELD_LENGTH_MAX.paragraph),
    integer: (value) =>
      Number.isSafeInteger(value) && String(Math.abs(value as number)).length <= FIELD_LENGTH_MAX.digits
        ? undefined
        : `should be a whole number of at most ${FIELD_LENGTH_MAX.digits} digits`,
    float: (value) => (typeof value === "number" && Number.isFinite(value) ? undefined : "should be a number"),
    boolean: (value) => (typeof value === "boolean" ? undefined : "should be true or false"),
    date: timeProblem(/^\d{4}-\d{2}-\d{2}$/, "a date such as 2026-01-31"),
    datetime: timeProblem(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/, "a time in ISO 8601, such as 2026-01-31T08:00:00.000Z"),
    enum: (value, field) => (choiceOf(field, value) ? undefined : "should be one of its choices"),
  };

/** Fields with values, including those in sections. */
export const flatFields = (fields: readonly EntityField[]): EntityField[] =>
  fields.flatMap((field) => (field.type === "section" ? flatFields((field.fields ?? []) as EntityField[]) : [field]));

const problemOf = (field: EntityField, value: unknown): Problem =>
  field.type === "section" ? undefined : PROBLEMS[field.type](value, field);

/**
 * Validates the fields that an app provides for a record; null empties a field.
 * @shape isWhole: whether missing fields are absent from the record, rather than unchanged
 * @errors AppRefused with each invalid field
 */
export const validateFields = (declared: readonly EntityField[], values: unknown, isComplete: boolean): Value => {
  if (!isObject(values)) refuseFields([{ name: "record", message: "A record is an object of its fields" }]);
  const fields = flatFields(declared);
  const fieldsByName = new Map(fields.map((field) => [field.name, field]));
  const errors = Object.entries(values).flatMap(([name, value]): FieldError[] => {
    const field = fieldsByName.get(name);
    if (!field) return [{ name, message: `${name} is not a field of this entity` }];
    const problem = value === null || value === undefined ? undefined : problemOf(field, value);
    return problem === undefined ? [] : [{ name, message: `${name} ${problem}` }];
  });
  const missing = fields.filter(
    ({ name, required }) => required && (values[name] ?? null) === null && (isComplete || Object.hasOwn(values, name)),
  );
  errors.push(...missing.map(({ name }) => ({ name, message: `${name} is required` })));
  if (errors.length > 0) refuseFields(errors);
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value ?? null]));
};

/** Stored values that satisfy a condition: a choice may be stored by its text or its id. */
const matchingValues = (field: EntityField, value: unknown): readonly unknown[] => {
  const choice = field.type === "enum" ? choiceOf(field, value) : undefined;
  return choice ? [choice.value, choice.id, String(choice.id)] : [value];
};

/** Whether two conditions can both hold: no record has two values for one field. */
const isCompatible = (left: Value, right: Value): boolean =>
  Object.entries(right).every(([name, value]) => !Object.hasOwn(left, name) || left[name] === value);

const combineConditions = (one: readonly Value[], other: readonly Value[]): Value[] => {
  if (one.length * other.length > QUERY_CONDITIONS_MAX)
    refuseQuery(`A query may come to ${QUERY_CONDITIONS_MAX} conditions`);
  return one.flatMap((left) =>
    other.filter((right) => isCompatible(left, right)).map((right) => ({ ...left, ...right })),
  );
};

/**
 * Expands a query to alternatives: a record matches if it has all fields of one of them.
 * @assumed `$or` and `$and` take lists of conditions and may be combined with fields. Other operators are unknown.
 * @errors AppRefused
 */
export const queryAlternatives = (declared: readonly EntityField[], query: unknown, depth = 0): readonly Value[] => {
  if (!isObject(query)) refuseQuery("A query is an object of fields and their values");
  if (depth > 3) refuseQuery("A query may nest $or and $and three deep");
  const fields = new Map(flatFields(declared).map((field) => [field.name, field]));
  let matches: readonly Value[] = [{}];
  for (const [name, value] of Object.entries(query)) {
    let next: readonly Value[];
    if (name === "$or" || name === "$and") {
      if (!Array.isArray(value) || value.length === 0) refuseQuery(`${name} takes a list of conditions`);
      const each = value.map((condition: unknown) => queryAlternatives(declared, condition, depth + 1));
      next = name === "$or" ? each.flat() : each.reduce(combineConditions);
    } else {
      const field = fields.get(name);
      if (!field)
        refuseQuery(`${name} is neither a field of this entity nor an operator: the operators are $or and $and`);
      if (field.filterable !== true)
        refuseQuery(`${name} can't be filtered by: its field has no "filterable": true in config/entities.json`);
      const problem = value === null ? undefined : problemOf(field, value);
      if (problem !== undefined) refuseQuery(`${name} ${problem}`);
      next = matchingValues(field, value).map((one) => ({ [name]: one }));
    }
    matches = combineConditions(matches, next);
  }
  return matches;
};
