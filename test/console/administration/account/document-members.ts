import { AccountDocument } from "@parley/contract";

/** The members of the account document as paths: `[]` is an entry of a list, `*` any name. */

type Schema = Readonly<Record<string, unknown>>;
const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;

/** The texts of other languages have the same parts as those of the primary language. */
const OTHER_LANGUAGES = "channels[].locales.*.welcome_message";
const normalized = (path: string): string => path.replace(OTHER_LANGUAGES, "channels[].welcome_message");

const schemaPaths = (schema: Schema, path: string, references: Schema): readonly string[] => {
  const { $defs, $ref, properties, patternProperties, items, anyOf } = schema;
  // A reference within its own definition would not end.
  if (isSchema($defs)) return schemaPaths($defs[String($ref)] as Schema, path, $defs);
  if ($ref !== undefined) return [path];
  const within = (list: Schema, nameOf: (name: string) => string) =>
    Object.entries(list).flatMap(([name, member]) => schemaPaths(member as Schema, nameOf(name), references));
  if (isSchema(properties)) return within(properties, (name) => (path === "" ? name : `${path}.${name}`));
  if (isSchema(patternProperties)) return within(patternProperties, () => `${path}.*`);
  if (isSchema(items)) return schemaPaths(items, `${path}[]`, references);
  const objects = Array.isArray(anyOf) ? anyOf.filter((each: Schema) => isSchema(each["properties"])) : [];
  // A text in place of an object is its short form.
  return objects.length > 0 ? objects.flatMap((each: Schema) => schemaPaths(each, path, references)) : [path];
};

/** All members of the document that contain no others, as paths. */
export const documentMembers = (): readonly string[] => [
  ...new Set(schemaPaths(AccountDocument as unknown as Schema, "", {}).map(normalized)),
];

/** Members whose entries have the names of languages. */
const BY_LOCALE = ["channels[].locales", "messenger.look.texts"];

/** The members that have a value, as paths. */
export const membersWithValue = (value: unknown, path = ""): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap((each) => membersWithValue(each, `${path}[]`));
  if (!isSchema(value) || "asymmetricMatch" in value) return [normalized(path)];
  return Object.entries(value).flatMap(([name, member]) => {
    const step = BY_LOCALE.includes(path) ? "*" : name;
    return membersWithValue(member, path === "" ? step : `${path}.${step}`);
  });
};
