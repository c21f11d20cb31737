import type { FormSchema, MemberSchema } from "./form-schema.ts";
import { formMessages } from "./messages.ts";

/**
 * One value of a form: what the schema of the contract can't say. Its type, limits, pattern and choices come from the schema of the member
 * with its name; a value without such a member has `from`, `to` and a widget.
 * @shape R: the record; V: all values; T: this value
 */
export interface FormMember<R extends object, V extends object, T> {
  readonly label: string;
  /** The value of a new record, and of a record without the member; empty or false when absent. */
  readonly initial?: T;
  readonly help?: string | ((values: V) => string);
  /** Lines of a field for longer text, which is saved as it was entered. Other texts are trimmed. */
  readonly lines?: number;
  /** Shown in the empty field. */
  readonly placeholder?: string;
  /** An address: the keyboard of a phone offers its characters. */
  readonly isAddress?: boolean;
  /** Another keyboard of a phone. */
  readonly inputMode?: "email" | "tel" | "numeric";
  /** A secret: its field hides it, and it is saved as it was entered. */
  readonly isSecret?: boolean;
  /** Saved as it was entered, although it has one line. */
  readonly isVerbatim?: boolean;
  /** -> the text that stands for an empty value: the field shows it, and it is saved */
  readonly fallback?: (values: V) => string;
  /** Shown, and not changed. */
  readonly isFixed?: boolean;
  /** A value that is not shown is not checked. */
  readonly isShown?: (values: V) => boolean;
  /** Names of the schema's choices for people. */
  readonly choices?: T extends string ? Readonly<Record<T, string>> : never;
  /** Why a text without visible characters is refused. Absent: the text can be empty if the schema admits it or the record needs no such member. */
  readonly missing?: string;
  /** Why a text is refused that the pattern does not admit. */
  readonly invalid?: string;
  /** Why a text is refused that is too long, if the common words don't fit. */
  readonly tooLong?: (max: number) => string;
  /** Why a text is refused that another record has. Absent: records can share it. */
  readonly taken?: string;
  /** -> why a value is refused that the schema admits */
  readonly check?: (value: T, values: V) => string | undefined;
  /** -> the value of a record; its member of this name when absent */
  readonly from?: (record: R) => T | undefined;
  /** -> the members of the record with the value; its member of this name when absent */
  readonly to?: (value: T, values: V) => Partial<R>;
}

/** The form of a record. @shape members: in the order of the fields */
export interface SchemaForm<R extends object, V extends object> {
  readonly schema: FormSchema;
  readonly members: { readonly [K in keyof V & string]: FormMember<R, V, V[K]> };
}

type AnyMember = FormMember<object, object, unknown>;
const membersOf = <R extends object, V extends object>({ members }: SchemaForm<R, V>): [string, AnyMember][] =>
  Object.entries(members) as [string, AnyMember][];
const memberIn = (object: object | undefined, name: string): unknown =>
  object && (object as Readonly<Record<string, unknown>>)[name];

const emptyValue = ({ type }: MemberSchema = {}): unknown => {
  if (type === "boolean") return false;
  return type === "array" ? [] : "";
};

/** -> the values of a record; without a record those of a new one */
export const formValuesOf = <R extends object, V extends object>(form: SchemaForm<R, V>, record?: R): V =>
  Object.fromEntries(
    membersOf(form).map(([name, { from, initial = emptyValue(form.schema[name]) }]) => {
      const found = from && record ? from(record) : memberIn(record, name);
      return [name, found ?? initial];
    }),
  ) as V;

/** -> the value as it is saved. @shape member: with the name `name` */
const savedValue = (member: AnyMember, name: string, values: object): unknown => {
  const value = memberIn(values, name);
  if (typeof value !== "string") return value;
  const isVerbatim = member.isVerbatim ?? member.isSecret ?? member.lines !== undefined;
  const text = isVerbatim ? value : value.trim();
  return text || (member.fallback?.(values) ?? "");
};

type Fault = "missing" | "tooLong" | "invalid" | "tooMany";

const schemaFault = (schema: MemberSchema, value: unknown): Fault | undefined => {
  if (Array.isArray(value)) return value.length > (schema.maxItems ?? Infinity) ? "tooMany" : undefined;
  if (typeof value !== "string") return undefined;
  const length = [...value].length;
  if (length < (schema.minLength ?? 0)) return "missing";
  if (length > (schema.maxLength ?? Infinity)) return "tooLong";
  if (schema.enum && !schema.enum.includes(value)) return "invalid";
  return schema.pattern !== undefined && !new RegExp(schema.pattern, "u").test(value) ? "invalid" : undefined;
};

/** -> whether a member is left out of the record: it has no text, its schema wants a text, and the record needs no such member. */
const isOmitted = ({ missing, fallback }: AnyMember, schema: MemberSchema = {}, value: unknown): boolean => {
  if (value !== "" || missing !== undefined) return false;
  return fallback !== undefined || (schema.isRequired !== true && schemaFault(schema, "") !== undefined);
};

/** -> the record with the values, which has every member of the form */
export const recordOf = <R extends object, V extends object>(form: SchemaForm<R, V>, values: V): R =>
  Object.assign(
    {},
    ...membersOf(form).map(([name, member]): object => {
      const value = savedValue(member, name, values);
      if (member.to) return member.to(value, values);
      return isOmitted(member, form.schema[name], value) ? {} : { [name]: value };
    }),
  ) as R;

interface FaultTexts {
  readonly missing?: string | undefined;
  readonly invalid?: string | undefined;
  readonly tooLong?: ((max: number) => string) | undefined;
}

const faultProblem = (
  schema: MemberSchema,
  value: unknown,
  { missing, invalid = missing, tooLong = formMessages.tooLong }: FaultTexts,
): string | undefined => {
  if (value === "" && missing !== undefined) return missing;
  switch (schemaFault(schema, value)) {
    case "missing":
    case "invalid":
      return invalid ?? formMessages.missing;
    case "tooLong":
      return tooLong(schema.maxLength ?? 0);
    case "tooMany":
      return formMessages.tooMany(schema.maxItems ?? 0);
    default:
      return undefined;
  }
};

/** -> why the service would refuse a text or a list for its schema. Items of a list are checked, too. */
export const valueProblem = (schema: MemberSchema, value: unknown, texts: FaultTexts): string | undefined => {
  const items = Array.isArray(value) ? value.map((item) => faultProblem(schema.items ?? {}, item, texts)) : [];
  return faultProblem(schema, value, texts) ?? items.find((problem) => problem !== undefined);
};

/** -> why the service would refuse the values, by name. @shape others: the other records of the list */
export const formProblemsOf = <R extends object, V extends object>(
  form: SchemaForm<R, V>,
  values: V,
  others: readonly R[] = [],
): Partial<Record<keyof V, string>> => {
  const problems = membersOf(form).map(([name, member]): [string, string | undefined] => {
    if (member.isShown?.(values) === false) return [name, undefined];
    const value = savedValue(member, name, values);
    const schema = form.schema[name];
    const fault = isOmitted(member, schema, value) || !schema ? undefined : valueProblem(schema, value, member);
    const isTaken =
      member.taken !== undefined && value !== "" && others.some((other) => memberIn(other, name) === value);
    return [name, fault ?? (isTaken ? member.taken : member.check?.(value, values))];
  });
  return Object.fromEntries(problems.filter(([, problem]) => problem !== undefined)) as Partial<
    Record<keyof V, string>
  >;
};
