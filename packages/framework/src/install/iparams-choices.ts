import { IPARAM_TYPES, type IparamType } from "@parley/contract";
import type { Finding } from "../project/finding.ts";
import { said } from "./iparams-findings.ts";

type Declared = Readonly<Record<string, unknown>>;

/** Undefined while nobody knows them. */
type Names = readonly string[] | undefined;

const say = said("error");

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((entry) => typeof entry === "string");

const typeOf = ({ type }: Declared): IparamType | undefined =>
  typeof type === "string" && Object.hasOwn(IPARAM_TYPES, type) ? (type as IparamType) : undefined;

/** An app with callbacks may fill empty options by `utils.set`. */
const options = (key: string, iparam: Declared, functionNames: Names): Finding[] => {
  const type = typeOf(iparam);
  if (type === undefined) return [];
  const given = iparam["options"];
  if (!IPARAM_TYPES[type].options) {
    return given === undefined
      ? []
      : [say("iparams-options", `Options must not be specified for ${type} type in the '${key}' field.`)];
  }
  return isTexts(given) && (given.length > 0 || functionNames?.length !== 0)
    ? []
    : [
        say(
          "iparams-options",
          `In the '${key}' field, specify options for the ${type} type.`,
          "A list of texts; it may be empty where a callback fills it.",
        ),
      ];
};

const defaultValue = (key: string, iparam: Declared): Finding[] => {
  const type = typeOf(iparam);
  const given = iparam["default_value"];
  if (type === undefined || given === undefined) return [];
  const { holds, options: chooses } = IPARAM_TYPES[type];
  if (holds === "boolean") {
    return typeof given === "boolean"
      ? []
      : [say("iparams-boolean", `Specify either true or false for the default_value key in the '${key}' field.`)];
  }
  if (chooses) {
    const chosen = typeof given === "string" ? [given] : given;
    const listed = isTexts(iparam["options"]) ? iparam["options"] : [];
    return isTexts(chosen) && (holds === "list" || chosen.length === 1) && chosen.every((one) => listed.includes(one))
      ? []
      : [
          say(
            "iparams-default",
            `The default value specified for the '${key}' ${type} type is not listed in the options.`,
          ),
        ];
  }
  return typeof given === "string" || (holds === "number" && typeof given === "number")
    ? []
    : [say("iparams-default", `Specify a text for the default_value key in the '${key}' field.`)];
};

const event = (key: string, entry: unknown, functionNames: Names): Finding[] =>
  Object.entries(entry as Declared).flatMap(([name, callback]) => {
    if (name !== "change") {
      return [say("iparams-event", `The ${name} event is not supported in the '${key}' field`)];
    }
    return typeof callback === "string" && (functionNames?.includes(callback) ?? true)
      ? []
      : [
          say(
            "iparams-callback",
            `The ${typeof callback === "string" ? callback : JSON.stringify(callback)} function does not exist for the '${key}' field.`,
            "Export it from config/assets/iparams.ts, or declare it at the top of config/assets/iparams.js.",
          ),
        ];
  });

const events = (key: string, iparam: Declared, functionNames: Names): Finding[] => {
  const given = iparam["events"];
  if (given === undefined) return [];
  const isList =
    Array.isArray(given) &&
    given.every(
      (entry) =>
        typeof entry === "object" && entry !== null && !Array.isArray(entry) && Object.keys(entry as object).length > 0,
    );
  return isList
    ? given.flatMap((entry) => event(key, entry, functionNames))
    : [say("iparams-events", `For the '${key}' ${String(iparam["type"])} type, add the Events as an array.`)];
};

/** What is wrong between a parameter's type and its options, its default value and its callbacks. */
export const choiceFindings = (key: string, iparam: Declared, functionNames: Names): Finding[] => [
  ...options(key, iparam, functionNames),
  ...defaultValue(key, iparam),
  ...events(key, iparam, functionNames),
];
