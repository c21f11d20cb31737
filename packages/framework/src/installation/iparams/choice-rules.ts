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
  const given = iparam["options"];
  if (!IPARAM_TYPES[type].options)
    return given === undefined ? [] : [iparamFinding("iparams-options-none", { type, key }, [key, "options"])];
  const at = [key, "options"];
  if (!isTexts(given)) {
    const place = Array.isArray(given) ? given.findIndex((option) => typeof option !== "string") : -1;
    if (!Array.isArray(given) || place < 0) return [iparamFinding("iparams-options", { type, key }, at)];
    const option: unknown = given[place];
    const isPlain = (value: unknown) => typeof value === "number" || typeof value === "boolean";
    const fix = given.flatMap((value: unknown, index): JsonEdit[] =>
      isPlain(value) ? [{ kind: "set", at: [...at, String(index)], value: String(value) }] : [],
    );
    const help =
      typeof option === "number" || typeof option === "boolean"
        ? `Each option is a text: write "${option}" in place of ${option}.`
        : "Each option is a text.";
    return [iparamFinding("iparams-options", { type, key }, [...at, String(place)], help, fix)];
  }
  if (given.length === 0 && functionNames?.length === 0) return [iparamFinding("iparams-options", { type, key }, at)];
  return given.flatMap((option, place) => {
    const again = [...at, String(place)];
    return given.indexOf(option) < place
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
  const given = iparam["default_value"];
  const at = [key, "default_value"];
  const { holds, options: chooses } = IPARAM_TYPES[type];
  if (given === undefined) return chooses ? [iparamFinding("iparams-default-absent", { key, type }, [key])] : [];
  if (holds === "boolean")
    return typeof given === "boolean" ? [] : [iparamFinding("iparams-boolean", { name: "default_value", key }, at)];
  if (chooses) {
    const chosen = typeof given === "string" ? [given] : given;
    const listed = isTexts(iparam["options"]) ? iparam["options"] : [];
    return isTexts(chosen) && (holds === "list" || chosen.length === 1) && chosen.every((one) => listed.includes(one))
      ? []
      : [iparamFinding("iparams-default", { key, type }, at)];
  }
  return typeof given === "string" || (holds === "number" && typeof given === "number")
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
  const given = iparam["events"];
  if (given === undefined) return [];
  const isList =
    Array.isArray(given) && given.every((entry) => isObject(entry) && Object.keys(entry as object).length > 0);
  return isList
    ? given.flatMap((entry, place) => event(key, place, entry, functionNames))
    : [iparamFinding("iparams-events", { key, type: String(iparam["type"]) }, [key, "events"])];
};

/** Findings on the combination of a parameter's type with its options, its default value and its callbacks. */
export const choiceFindings = (key: string, iparam: Declared, functionNames: Names): FindingWithPath[] => [
  ...options(key, iparam, functionNames),
  ...hiddenRequired(key, iparam, functionNames),
  ...defaultValue(key, iparam),
  ...events(key, iparam, functionNames),
];
