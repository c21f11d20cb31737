import { isObject, IPARAM_TYPES, type IparamType } from "@parley/contract";
import type { FindingWithPath, JsonEdit } from "../../package/model/finding.ts";
import { iparamFinding } from "./iparam-findings.ts";

type Declared = Readonly<Record<string, unknown>>;

/** Undefined when the names are unknown. */
type Names = readonly string[] | undefined;

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === "string");

const typeOf = ({ type }: Declared): IparamType | undefined =>
  typeof type === "string" && Object.hasOwn(IPARAM_TYPES, type) ? (type as IparamType) : undefined;

/** An app with callbacks can fill empty options with `utils.set`. */
const options = (key: string, iparam: Declared, functionNames: Names): FindingWithPath[] => {
  const type = typeOf(iparam);
  if (type === undefined) return [];
  const value = iparam["options"];
  if (!IPARAM_TYPES[type].options)
    return value === undefined ? [] : [iparamFinding("iparams-options-none", { type, key }, [key, "options"])];
  const at = [key, "options"];
  if (!isTexts(value)) {
    const place = Array.isArray(value) ? value.findIndex((option) => typeof option !== "string") : -1;
    if (!Array.isArray(value) || place < 0) return [iparamFinding("iparams-options", { type, key }, at)];
    const option: unknown = value[place];
    const isPlain = (entry: unknown) => typeof entry === "number" || typeof entry === "boolean";
    const fix = value.flatMap((entry: unknown, index): JsonEdit[] =>
      isPlain(entry) ? [{ kind: "set", at: [...at, String(index)], value: String(entry) }] : [],
    );
    const help =
      typeof option === "number" || typeof option === "boolean"
        ? `Each option is a text: write "${option}" in place of ${option}.`
        : "Each option is a text.";
    return [iparamFinding("iparams-options", { type, key }, [...at, String(place)], help, fix)];
  }
  if (value.length === 0 && functionNames?.length === 0) return [iparamFinding("iparams-options", { type, key }, at)];
  return value.flatMap((option, place) => {
    const again = [...at, String(place)];
    return value.indexOf(option) < place
      ? [iparamFinding("iparams-option-twice", { option, key }, again, undefined, [{ kind: "remove", at: again }])]
      : [];
  });
};

/** A callback can show the parameter later. */
const hiddenRequired = (key: string, iparam: Declared, functionNames: Names): FindingWithPath[] =>
  iparam["required"] === true &&
  iparam["visible"] === false &&
  iparam["default_value"] === undefined &&
  functionNames?.length === 0
    ? [iparamFinding("iparams-hidden-required", { key }, [key, "required"])]
    : [];

const defaultValue = (key: string, iparam: Declared): FindingWithPath[] => {
  const type = typeOf(iparam);
  if (type === undefined) return [];
  const value = iparam["default_value"];
  const at = [key, "default_value"];
  const { holds, options: chooses } = IPARAM_TYPES[type];
  if (value === undefined) return chooses ? [iparamFinding("iparams-default-absent", { key, type }, [key])] : [];
  if (holds === "boolean")
    return typeof value === "boolean" ? [] : [iparamFinding("iparams-boolean", { name: "default_value", key }, at)];
  if (chooses) {
    const chosen = typeof value === "string" ? [value] : value;
    const listed = isTexts(iparam["options"]) ? iparam["options"] : [];
    return isTexts(chosen) && (holds === "list" || chosen.length === 1) && chosen.every((one) => listed.includes(one))
      ? []
      : [iparamFinding("iparams-default", { key, type }, at)];
  }
  return typeof value === "string" || (holds === "number" && typeof value === "number")
    ? []
    : [iparamFinding("iparams-text", { name: "default_value", key }, at)];
};

const event = (key: string, place: number, entry: unknown, functionNames: Names): FindingWithPath[] =>
  Object.entries(entry as Declared).flatMap(([name, callback]) => {
    const at = [key, "events", String(place), name];
    if (name !== "change") return [iparamFinding("iparams-event", { event: name, key }, at)];
    if (typeof callback === "string" && (functionNames?.includes(callback) ?? true)) return [];
    const written = typeof callback === "string" ? callback : JSON.stringify(callback);
    return [iparamFinding("iparams-callback", { callback: written, key }, at)];
  });

const events = (key: string, iparam: Declared, functionNames: Names): FindingWithPath[] => {
  const value = iparam["events"];
  if (value === undefined) return [];
  const isList =
    Array.isArray(value) && value.every((entry) => isObject(entry) && Object.keys(entry as object).length > 0);
  return isList
    ? value.flatMap((entry, place) => event(key, place, entry, functionNames))
    : [iparamFinding("iparams-events", { key, type: String(iparam["type"]) }, [key, "events"])];
};

/** Findings on the combination of a parameter's type with its options, its default value and its callbacks. */
export const choiceFindings = (key: string, iparam: Declared, functionNames: Names): FindingWithPath[] => [
  ...options(key, iparam, functionNames),
  ...hiddenRequired(key, iparam, functionNames),
  ...defaultValue(key, iparam),
  ...events(key, iparam, functionNames),
];
