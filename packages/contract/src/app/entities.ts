import Type, { type Static } from "typebox";

/** Records that an app stores through `$db.entity` and `client.db.entity`, in the shapes that `config/entities.json` declares. */

export const ENTITY_FIELD_TYPES = [
  "text",
  "paragraph",
  "integer",
  "float",
  "datetime",
  "date",
  "boolean",
  "enum",
  "section",
] as const;
export type EntityFieldType = (typeof ENTITY_FIELD_TYPES)[number];

const Name = Type.String({ pattern: "^[A-Za-z][A-Za-z0-9_]*$", maxLength: 64 });
const Choice = Type.Object({ id: Type.Integer(), value: Type.String({ minLength: 1 }) });

/** Members of a field, nested or not. @shape choices: of an enum */
const EntityFieldParts = {
  name: Name,
  label: Type.String({ minLength: 1 }),
  type: Type.Enum([...ENTITY_FIELD_TYPES]),
  required: Type.Optional(Type.Boolean()),
  filterable: Type.Optional(Type.Boolean()),
  choices: Type.Optional(Type.Array(Choice, { minItems: 1 })),
};
/** Sections contain fields and sections, nested at most two levels deep. */
const Leaf = Type.Object(EntityFieldParts);
const Section = Type.Object({ ...EntityFieldParts, fields: Type.Optional(Type.Array(Leaf)) });
export const EntityField = Type.Object(
  { ...EntityFieldParts, fields: Type.Optional(Type.Array(Section)) },
  { title: "EntityField" },
);
export type EntityField = Static<typeof EntityField>;

/** `config/entities.json`. */
export const EntitiesConfig = Type.Record(Name, Type.Object({ fields: Type.Array(EntityField, { minItems: 1 }) }), {
  title: "EntitiesConfig",
});
export type EntitiesConfig = Static<typeof EntitiesConfig>;

export const ENTITY_ACTIONS = ["schema", "create", "get", "getAll", "update", "delete"] as const;
export const EntityAction = Type.Enum([...ENTITY_ACTIONS]);
export type EntityAction = Static<typeof EntityAction>;

/** A record as an app receives it. @units times: ISO 8601 */
export interface EntityRecord {
  readonly display_id: string;
  readonly created_time: string;
  readonly updated_time: string;
  readonly data: Readonly<Record<string, unknown>>;
}
