import { EntitiesConfig, fits, misfits, type EntityField, type EntityFieldType } from "@parley/contract";
import { flatFields } from "../model/entity-fields.ts";
import type { FoundDetail, JsonPath } from "../model/finding.ts";
import { misfitPath, misfitMessage } from "../model/json.ts";
import { found } from "../model/rules.ts";

export const ENTITIES = "config/entities.json";

/** Limits, as on other app hosts. */
const MOST = { entities: 5, fields: 20 };

const shape = (place: string, text: string, at: JsonPath) => found("entities-shape", ENTITIES, { place, text }, { at });

const fieldRules = (entity: string, declared: readonly EntityField[]): FoundDetail[] => {
  const fields = flatFields(declared);
  const at = [entity, "fields"];
  const names = fields.map(({ name }) => name);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  return [
    ...twice.map((name) => shape(entity, `has the field '${name}' twice`, at)),
    ...(fields.length > MOST.fields ? [shape(entity, `has more than ${MOST.fields} fields`, at)] : []),
    ...fields
      .filter(({ type, choices }) => type === "enum" && choices === undefined)
      .map(({ name }) => shape(`${entity}.${name}`, "must have choices, since it is an enum", at)),
  ];
};

/**
 * Type names in earlier apps.
 * @assumed A NUMBER may have decimals.
 */
const EARLIER_TYPES: Readonly<Record<string, EntityFieldType>> = {
  TEXT: "text",
  PARAGRAPH: "paragraph",
  NUMBER: "float",
  DATE: "date",
  DATE_TIME: "datetime",
  BOOLEAN: "boolean",
};

const withPresentTypes = (json: unknown): unknown =>
  JSON.parse(JSON.stringify(json), (key, value: unknown) =>
    key === "type" && typeof value === "string" && Object.hasOwn(EARLIER_TYPES, value) ? EARLIER_TYPES[value] : value,
  );

/** Validates `config/entities.json`. */
export const readEntities = (given: unknown): { entities: EntitiesConfig; findings: readonly FoundDetail[] } => {
  const json = withPresentTypes(given);
  if (!fits(EntitiesConfig, json))
    return {
      entities: {},
      findings: misfits(EntitiesConfig, json).map((misfit) =>
        shape(misfit.pointer.slice(1) || "it", misfitMessage(misfit), misfitPath(misfit)),
      ),
    };
  const count = Object.keys(json).length;
  return {
    entities: json,
    findings: [
      ...(count > MOST.entities ? [shape("it", `declares more than ${MOST.entities} entities`, [])] : []),
      ...Object.entries(json).flatMap(([entity, { fields }]) => fieldRules(entity, fields)),
    ],
  };
};
