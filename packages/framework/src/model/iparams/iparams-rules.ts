import { isObject, matchesSchema, Iparam, IPARAM_TYPES, type IparamType } from "@parley/contract";
import { isRunnable, type FindingWithPath, type JsonEdit, type JsonPath } from "../finding.ts";
import { misspeltMembers, sameNameInOtherCase } from "../similar-name.ts";
import { attributeFindings, booleanFix, iparamFinding } from "./attribute-rules.ts";
import { iparamFieldOf } from "./fields.ts";
import { typeFault } from "./validate-value.ts";
import { patternsFault } from "./validate-values.ts";

type Declared = Readonly<Record<string, unknown>>;

/** Undefined when the names are unknown. */
type Names = readonly string[] | undefined;

/** The app's callbacks for the installation page. */
interface DeclaredCallbacks {
  /** Undefined when the file can't be read, which is reported separately. */
  readonly names: Names;
  readonly code: string;
}
const NO_CALLBACKS: DeclaredCallbacks = { names: [], code: "" };

const hasWord = (text: string, word: string): boolean =>
  text.split(word).some((_part, at, parts) => {
    const [before = "", after = ""] = [parts[at - 1]?.at(-1), parts[at]?.at(0)];
    return at > 0 && !/[\w$]/.test(before) && !/[\w$]/.test(after);
  });

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

/**
 * @assumed A callback that shows or sets the parameter names its key. The text of the callbacks is searched; the code is not analysed.
 */
const hiddenRequired = (key: string, iparam: Declared, { names, code }: DeclaredCallbacks): FindingWithPath[] =>
  iparam["required"] === true &&
  iparam["visible"] === false &&
  iparam["default_value"] === undefined &&
  names !== undefined &&
  !(names.length > 0 && hasWord(code, key))
    ? [iparamFinding("iparams-hidden-required", { key }, [key, "required"])]
    : [];

/** An option in another case. */
const optionFix = (value: unknown, options: readonly string[], at: JsonPath): JsonEdit[] => {
  const meant = typeof value === "string" ? sameNameInOtherCase(value.trim(), options) : undefined;
  return meant === undefined ? [] : [{ kind: "set", at, value: meant }];
};

const numberFix = (value: unknown, at: JsonPath): JsonEdit[] =>
  typeof value === "number" ? [{ kind: "quote", at }] : [];

const defaultValue = (key: string, iparam: Declared): FindingWithPath[] => {
  const type = typeOf(iparam);
  if (type === undefined) return [];
  const value = iparam["default_value"];
  const at = [key, "default_value"];
  const { holds, options: chooses } = IPARAM_TYPES[type];
  if (value === undefined) return chooses ? [iparamFinding("iparams-default-absent", { key, type }, [key])] : [];
  if (holds === "boolean")
    return typeof value === "boolean"
      ? []
      : [iparamFinding("iparams-boolean", { name: "default_value", key }, at, undefined, booleanFix(value, at))];
  if (chooses) {
    const chosen = typeof value === "string" ? [value] : value;
    const listed = isTexts(iparam["options"]) ? iparam["options"] : [];
    return isTexts(chosen) && (holds === "list" || chosen.length === 1) && chosen.every((one) => listed.includes(one))
      ? []
      : [iparamFinding("iparams-default", { key, type }, at, undefined, optionFix(value, listed, at))];
  }
  return typeof value === "string" || (holds === "number" && typeof value === "number")
    ? []
    : [iparamFinding("iparams-text", { name: "default_value", key }, at, undefined, numberFix(value, at))];
};

const event = (key: string, place: number, entry: unknown, functionNames: Names): FindingWithPath[] =>
  Object.entries(entry as Declared).flatMap(([name, callback]) => {
    const at = [key, "events", String(place), name];
    if (name !== "change") {
      const isMisspelt = misspeltMembers(Object.keys(entry as Declared), ["change"]).some((one) => one.name === name);
      const fix: JsonEdit[] = isMisspelt ? [{ kind: "rename", at, name: "change" }] : [];
      return [iparamFinding("iparams-event", { event: name, key }, at, undefined, fix)];
    }
    if (typeof callback === "string" && (functionNames?.includes(callback) ?? true)) return [];
    const written = typeof callback === "string" ? callback : JSON.stringify(callback);
    const meant = sameNameInOtherCase(written, functionNames ?? []);
    const fix: JsonEdit[] = meant === undefined ? [] : [{ kind: "set", at, value: meant }];
    return [iparamFinding("iparams-callback", { callback: written, key }, at, undefined, fix)];
  });

const events = (key: string, iparam: Declared, functionNames: Names): FindingWithPath[] => {
  const value = iparam["events"];
  if (value === undefined) return [];
  const wrap: JsonEdit[] =
    isObject(value) && Object.keys(value).length > 0 ? [{ kind: "wrap", at: [key, "events"] }] : [];
  const isList =
    Array.isArray(value) && value.every((entry) => isObject(entry) && Object.keys(entry as object).length > 0);
  return isList
    ? value.flatMap((entry, place) => event(key, place, entry, functionNames))
    : [iparamFinding("iparams-events", { key, type: String(iparam["type"]) }, [key, "events"], undefined, wrap)];
};

/** Findings on the combination of a parameter's type with its options, its default value and its callbacks. */
const choiceFindings = (key: string, iparam: Declared, callbacks: DeclaredCallbacks): FindingWithPath[] => [
  ...options(key, iparam, callbacks.names),
  ...hiddenRequired(key, iparam, callbacks),
  ...defaultValue(key, iparam),
  ...events(key, iparam, callbacks.names),
];

/** Names that a parameter may not have: attributes, and one that would change an object's prototype. */
const RESERVED = [
  "display_name",
  "description",
  "type",
  "required",
  "visible",
  "default_value",
  "options",
  "regex",
  "secure",
  "data-bind",
  "type_attributes",
  "events",
  "__proto__",
];

/** @assumed A word that begins with "key" and a label with spaces name no secret. */
const SENSITIVE = /^(?!.*\s).*(?:auth|token|key(?!word|board)|secret)/;

const keyFindings = (keys: readonly string[]): FindingWithPath[] => {
  const reserved = keys.filter((key) => RESERVED.includes(key));
  const empty = keys.filter((key) => key.trim() === "");
  return [
    ...(reserved.length > 0
      ? [iparamFinding("iparams-reserved-key", { keys: reserved.join(", ") }, [reserved[0] ?? ""])]
      : []),
    ...(empty.length > 0 ? [iparamFinding("iparams-empty-key", {}, [empty[0] ?? ""])] : []),
  ];
};

const secureFindings = (key: string, iparam: Record<string, unknown>): FindingWithPath[] =>
  SENSITIVE.test(key.toLowerCase()) && iparam["secure"] !== true
    ? [iparamFinding("iparams-not-secure", { key }, [key])]
    : [];

/** The default of a domain is validated together with the account, which is unknown here. */
const defaultFindings = (key: string, value: unknown): FindingWithPath[] => {
  if (!matchesSchema(Iparam, value) || value.default_value === undefined || value.type === "domain") return [];
  const field = iparamFieldOf(key, value, true, undefined);
  // Options are validated separately.
  const ofType = IPARAM_TYPES[value.type].options ? undefined : typeFault(field.initial, field, "");
  const fault = ofType ?? patternsFault(field.initial, field, "");
  return fault === undefined
    ? []
    : [iparamFinding("iparams-default-refused", { key, text: fault }, [key, "default_value"])];
};

/**
 * Validates `config/iparams.json`; without an error among the findings, it has the contract's shape.
 * @assumed Expressions have the syntax of RE2: look-around and back references are refused, since they can block a host.
 * @spec Resources and their fields > App installation parameters (iparams)
 */
export const checkIparams = (json: unknown, callbacks: DeclaredCallbacks = NO_CALLBACKS): FindingWithPath[] => {
  if (!isObject(json)) return [iparamFinding("iparams-shape", {}, [])];
  return [
    ...keyFindings(Object.keys(json)),
    ...Object.entries(json).flatMap(([key, value]) => {
      const iparam = isObject(value) ? value : {};
      const findings = [
        ...attributeFindings(key, iparam),
        ...choiceFindings(key, iparam, callbacks),
        ...secureFindings(key, iparam),
      ];
      return isRunnable(findings) ? [...findings, ...defaultFindings(key, value)] : findings;
    }),
  ];
};
