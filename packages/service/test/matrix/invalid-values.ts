import type { TSchema } from "typebox";

/** The parts of a schema that a value can violate. */
interface Shape {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Shape[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
}

type Path = readonly (string | number)[];

/** A value with one fault, and the token of the refusal. */
export interface InvalidValue {
  readonly title: string;
  readonly value: unknown;
  readonly status: "INVALID_VALUE" | "MISSING_PARAMETER";
}

const TIME = "2026-01-31T12:00:00.000Z";
/** At greater depth schemas contain themselves. */
const DEPTH = 5;

/** The minimal valid value of the schema. */
const sampleOf = (shape: Shape): unknown => {
  if (shape.enum) return shape.enum[0];
  if (shape.anyOf) return sampleOf(shape.anyOf[0] ?? {});
  switch (shape.type) {
    case "string":
      return shape.format === "date-time" ? TIME : "x".repeat(Math.max(1, shape.minLength ?? 0));
    case "integer":
    case "number":
      return shape.minimum ?? 1;
    case "boolean":
      return true;
    case "array":
      return Array.from({ length: Math.max(1, shape.minItems ?? 0) }, () => sampleOf(shape.items ?? {}));
    case "object":
      return Object.fromEntries((shape.required ?? []).map((name) => [name, sampleOf(shape.properties?.[name] ?? {})]));
    default:
      return "x";
  }
};

/** Values that the schema itself refuses, regardless of their members. */
const wrongFor = (shape: Shape): [title: string, value: unknown][] => {
  if (shape.enum)
    return [
      ["an unknown word", "NONSENSE"],
      ["a number for a word", 7],
    ];
  if (shape.anyOf) return [["an unknown kind", 7]];
  switch (shape.type) {
    case "string":
      return [
        ["a number for a text", 7],
        ["a list for a text", ["x"]],
        ["an object for a text", { x: 1 }],
        ["true for a text", true],
        ["the character NUL", "a\0b"],
        ["half a character", "a\ud83d"],
        ...(shape.maxLength === undefined
          ? []
          : [["one sign too many", "x".repeat(shape.maxLength + 1)] as [string, string]]),
        ...(shape.minLength ? [["nothing", ""] as [string, string]] : []),
        ...(shape.format === "date-time"
          ? [
              ["a day for a time", "yesterday"] as [string, string],
              ["a thirteenth month", "2026-13-01T00:00:00.000Z"] as [string, string],
            ]
          : []),
      ];
    case "integer":
    case "number":
      return [
        ["a text for a number", "7"],
        ["a list for a number", [7]],
        ...(shape.type === "integer" ? [["half a number", 1.5] as [string, number]] : []),
        ...(shape.minimum === undefined ? [] : [["one too few", shape.minimum - 1] as [string, number]]),
        ...(shape.maximum === undefined ? [] : [["one too many", shape.maximum + 1] as [string, number]]),
      ];
    case "boolean":
      return [
        ["a word for true", "true"],
        ["a number for true", 1],
      ];
    case "array":
      return [
        ["a text for a list", "x"],
        ["an object for a list", { "0": "x" }],
        ...(shape.minItems ? [["an empty list", []] as [string, unknown]] : []),
        ...(shape.maxItems === undefined
          ? []
          : [
              ["one item too many", Array.from({ length: shape.maxItems + 1 }, () => sampleOf(shape.items ?? {}))] as [
                string,
                unknown,
              ],
            ]),
      ];
    case "object":
      return [
        ["a text for an object", "x"],
        ["a list for an object", []],
        ["a number for an object", 7],
      ];
    default:
      return [];
  }
};

const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inside, step) => (inside as Record<string | number, unknown> | undefined)?.[step], value);

/** Returns a copy with one member replaced; undefined removes it. */
const withAt = (value: unknown, path: Path, set: unknown): unknown => {
  const [step, ...rest] = path;
  if (step === undefined) return set;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >;
  copy[step] = withAt(copy[step] ?? {}, rest, set);
  if (copy[step] === undefined) Reflect.deleteProperty(copy, step);
  return copy;
};

const nameOf = (path: Path): string => path.join(".") || "the body";

/** -> copies of the valid value, each with one violation of the schema */
export function invalidValues(schema: TSchema, right: unknown): InvalidValue[] {
  const found: InvalidValue[] = [];
  const visit = (shape: Shape, path: Path, base: unknown): void => {
    for (const [title, value] of wrongFor(shape))
      found.push({ title: `${nameOf(path)}: ${title}`, value: withAt(base, path, value), status: "INVALID_VALUE" });
    if (path.length >= DEPTH) return;
    for (const [name, member] of Object.entries(shape.properties ?? {})) {
      const inside = [...path, name];
      if (shape.required?.includes(name))
        for (const [title, value] of [
          ["absent", undefined],
          ["null", null],
        ] as const)
          found.push({
            title: `${nameOf(inside)}: ${title}`,
            value: withAt(base, inside, value),
            status: "MISSING_PARAMETER",
          });
      visit(member, inside, at(base, inside) === undefined ? withAt(base, inside, sampleOf(member)) : base);
    }
    if (shape.type === "array" && shape.items) visit(shape.items, [...path, 0], base);
  };
  visit(schema, [], right);
  return found;
}

/** -> copies of the valid query string, each with one violation */
export function invalidQueries(
  schema: TSchema,
  right: Readonly<Record<string, string>>,
): (InvalidValue & { value: string })[] {
  const { properties = {}, required = [] } = schema as Shape;
  const printed = (pairs: Readonly<Record<string, string>>, more = "") =>
    `${new URLSearchParams(pairs).toString()}${more}`;
  return Object.entries(properties).flatMap(([name, shape]) => {
    const wrong: [title: string, text: string][] = [
      ["the character NUL", "a\0b"],
      ...(shape.enum ? ([["an unknown word", "NONSENSE"]] as [string, string][]) : []),
      ...(shape.type === "integer"
        ? ([
            ["a word", "one"],
            ["half a number", "1.5"],
            ["an exponent", "1e3"],
            ["below zero", "-1"],
          ] as [string, string][])
        : []),
      ...(shape.minimum === 1 ? ([["nought", "0"]] as [string, string][]) : []),
      ...(shape.maximum === undefined ? [] : ([["one too many", String(shape.maximum + 1)]] as [string, string][])),
      ...(shape.type === "boolean" ? ([["another word", "yes"]] as [string, string][]) : []),
      ...(shape.format === "date-time"
        ? ([
            ["a day", "yesterday"],
            ["a thirteenth month", "2026-13-01T00:00:00.000Z"],
          ] as [string, string][])
        : []),
      ...(shape.maxLength === undefined
        ? []
        : ([["one sign too many", "x".repeat(shape.maxLength + 1)]] as [string, string][])),
    ];
    const { [name]: _, ...others } = right;
    const once = right[name] ?? String(sampleOf(shape));
    return [
      ...wrong.map(([title, text]) => ({
        title: `${name}: ${title}`,
        value: printed({ ...others, [name]: text }),
        status: "INVALID_VALUE" as const,
      })),
      {
        title: `${name}: given twice`,
        value: printed({ ...others, [name]: once }, `&${name}=${encodeURIComponent(once)}`),
        status: "INVALID_VALUE" as const,
      },
      { title: `${name}: a broken escape`, value: printed(others, `&${name}=%zz`), status: "INVALID_VALUE" as const },
      ...(required.includes(name)
        ? [{ title: `${name}: absent`, value: printed(others), status: "MISSING_PARAMETER" as const }]
        : []),
    ];
  });
}
