import { isObject, type EntityField, type EntityFieldType } from "@parley/contract";
import { AppRefused } from "../../values/app-refused.ts";

type Value = Readonly<Record<string, unknown>>;
type Problem = string | undefined;

/** One thing that is wrong with a record. @shape name: of the field */
interface FieldError {
  readonly name: string;
  readonly message: string;
}

const invalidFields = (errors: readonly FieldError[]): AppRefused =>
  new AppRefused(400, "Invalid input field", { errors, errorSource: "APP" });
export const invalidQuery = (message: string): AppRefused => new AppRefused(400, message, { errorSource: "APP" });

/** As the field has them. @units characters; digits */
const LONGEST = { text: 64, paragraph: 2_048, digits: 15 };
/** Conditions that a query may come to. */
const MOST_MATCHES = 100;

/** JSON texts may hold it, values of the database may not. */
const NUL = "\0";

const textProblem =
  (longest: number) =>
  (value: unknown): Problem =>
    typeof value !== "string" || value.length > longest || value.includes(NUL)
      ? `should be a text of at most ${longest} characters`
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
    text: textProblem(LONGEST.text),
    paragraph: textProblem(LONGEST.paragraph),
    integer: (value) =>
      Number.isSafeInteger(value) && String(Math.abs(value as number)).length <= LONGEST.digits
        ? undefined
        : `should be a whole number of at most ${LONGEST.digits} digits`,
    float: (value) => (typeof value === "number" && Number.isFinite(value) ? undefined : "should be a number"),
    boolean: (value) => (typeof value === "boolean" ? undefined : "should be true or false"),
    date: timeProblem(/^\d{4}-\d{2}-\d{2}$/, "a date such as 2026-01-31"),
    datetime: timeProblem(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/, "a time in ISO 8601, such as 2026-01-31T08:00:00.000Z"),
    enum: (value, field) => (choiceOf(field, value) ? undefined : "should be one of its choices"),
  };

/** Fields that hold values: those of sections among them. */
export const flatFields = (fields: readonly EntityField[]): EntityField[] =>
  fields.flatMap((field) => (field.type === "section" ? flatFields((field.fields ?? []) as EntityField[]) : [field]));

const problemOf = (field: EntityField, value: unknown): Problem =>
  field.type === "section" ? undefined : PROBLEMS[field.type](value, field);

/**
 * The fields that an app gave for a record; null leaves one empty.
 * @shape isWhole: whether fields that aren't given are absent from the record
 * @errors AppRefused with each field that is wrong
 */
export const checkedFields = (declared: readonly EntityField[], given: unknown, isWhole: boolean): Value => {
  if (!isObject(given)) throw invalidFields([{ name: "record", message: "A record is an object of its fields" }]);
  const fields = flatFields(declared);
  const known = new Map(fields.map((field) => [field.name, field]));
  const errors = Object.entries(given).flatMap(([name, value]): FieldError[] => {
    const field = known.get(name);
    if (!field) return [{ name, message: `${name} is no field of this entity` }];
    const problem = value === null || value === undefined ? undefined : problemOf(field, value);
    return problem === undefined ? [] : [{ name, message: `${name} ${problem}` }];
  });
  const missing = fields.filter(
    ({ name, required }) => required && (given[name] ?? null) === null && (isWhole || Object.hasOwn(given, name)),
  );
  errors.push(...missing.map(({ name }) => ({ name, message: `${name} is required` })));
  if (errors.length > 0) throw invalidFields(errors);
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? null]));
};

/** What a stored record holds where a condition is met: a choice may be stored by its text or its id. */
const alternatives = (field: EntityField, value: unknown): readonly unknown[] => {
  const choice = field.type === "enum" ? choiceOf(field, value) : undefined;
  return choice ? [choice.value, choice.id, String(choice.id)] : [value];
};

const tooMany = () => invalidQuery(`A query may come to ${MOST_MATCHES} conditions`);

/** Two values for one field are met by no record. */
const agrees = (left: Value, right: Value): boolean =>
  Object.entries(right).every(([name, value]) => !Object.hasOwn(left, name) || left[name] === value);

const product = (one: readonly Value[], other: readonly Value[]): Value[] => {
  if (one.length * other.length > MOST_MATCHES) throw tooMany();
  return one.flatMap((left) => other.filter((right) => agrees(left, right)).map((right) => ({ ...left, ...right })));
};

/**
 * Conditions as lists of fields, of which one must be held whole.
 * @assumed `$or` and `$and` take lists of conditions, and stand beside fields; other operators aren't known.
 * @errors AppRefused
 */
export const matchesOf = (declared: readonly EntityField[], query: unknown, depth = 0): readonly Value[] => {
  if (!isObject(query)) throw invalidQuery("A query is an object of fields and their values");
  if (depth > 3) throw invalidQuery("A query may nest $or and $and three deep");
  const fields = new Map(flatFields(declared).map((field) => [field.name, field]));
  let matches: readonly Value[] = [{}];
  for (const [name, value] of Object.entries(query)) {
    let next: readonly Value[];
    if (name === "$or" || name === "$and") {
      if (!Array.isArray(value) || value.length === 0) throw invalidQuery(`${name} takes a list of conditions`);
      const each = value.map((condition: unknown) => matchesOf(declared, condition, depth + 1));
      next = name === "$or" ? each.flat() : each.reduce(product);
    } else {
      const field = fields.get(name);
      if (!field) throw invalidQuery(`${name} is no field of this entity, and no operator: $or and $and are`);
      if (field.filterable !== true)
        throw invalidQuery(`${name} can't be filtered by: its field has no "filterable": true in config/entities.json`);
      const problem = value === null ? undefined : problemOf(field, value);
      if (problem !== undefined) throw invalidQuery(`${name} ${problem}`);
      next = alternatives(field, value).map((one) => ({ [name]: one }));
    }
    matches = product(matches, next);
  }
  return matches;
};
