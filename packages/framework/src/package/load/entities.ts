import {
  APP_LIMITS,
  EntitiesConfig,
  matchesSchema,
  schemaErrors,
  type EntityField,
  type EntityFieldType,
} from "@parley/contract";
import { flatFields } from "../../model/entity-fields.ts";
import { withFix, type FindingWithPath, type JsonEdit, type JsonPath } from "../../model/finding.ts";
import { misfitPath, misfitMessage } from "../../model/json.ts";
import { createFinding } from "../../model/rules.ts";
import { schemaFix } from "../../model/schema-fix.ts";

export const ENTITIES_FILE = "config/entities.json";

const shapeFinding = (place: string, text: string, at: JsonPath, fix: readonly JsonEdit[] = []) =>
  createFinding("entities-shape", ENTITIES_FILE, { place, text }, { at, ...withFix(fix) });

const fieldRules = (entity: string, declared: readonly EntityField[]): FindingWithPath[] => {
  const fields = flatFields(declared);
  const at = [entity, "fields"];
  const names = fields.map(({ name }) => name);
  const duplicates = names.filter((name, index) => names.indexOf(name) !== index);
  return [
    ...duplicates.map((name) => shapeFinding(entity, `has the field '${name}' twice`, at)),
    ...(fields.length > APP_LIMITS.entityFields
      ? [shapeFinding(entity, `has more than ${APP_LIMITS.entityFields} fields`, at)]
      : []),
    ...fields
      .filter(({ type, choices }) => type === "enum" && choices === undefined)
      .map(({ name }) => shapeFinding(`${entity}.${name}`, "must have choices, since it is an enum", at)),
  ];
};

/**
 * Type names in earlier apps.
 * @assumed A NUMBER may have decimals.
 */
const LEGACY_TYPES: Readonly<Record<string, EntityFieldType>> = {
  TEXT: "text",
  PARAGRAPH: "paragraph",
  NUMBER: "float",
  DATE: "date",
  DATE_TIME: "datetime",
  BOOLEAN: "boolean",
};

const withCurrentTypes = (json: unknown): unknown =>
  JSON.parse(JSON.stringify(json), (key, value: unknown) =>
    key === "type" && typeof value === "string" && Object.hasOwn(LEGACY_TYPES, value) ? LEGACY_TYPES[value] : value,
  );

/** Validates `config/entities.json`. */
export const readEntities = (rawJson: unknown): { entities: EntitiesConfig; findings: readonly FindingWithPath[] } => {
  const json = withCurrentTypes(rawJson);
  if (!matchesSchema(EntitiesConfig, json))
    return {
      entities: {},
      findings: schemaErrors(EntitiesConfig, json).map((misfit) =>
        shapeFinding(
          misfit.pointer.slice(1) || "it",
          misfitMessage(misfit),
          misfitPath(misfit),
          schemaFix(EntitiesConfig, json, misfit),
        ),
      ),
    };
  const count = Object.keys(json).length;
  return {
    entities: json,
    findings: [
      ...(count > APP_LIMITS.entities
        ? [shapeFinding("it", `declares more than ${APP_LIMITS.entities} entities`, [])]
        : []),
      ...Object.entries(json).flatMap(([entity, { fields }]) => fieldRules(entity, fields)),
    ],
  };
};
