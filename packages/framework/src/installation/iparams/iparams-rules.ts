import { isObject, matchesSchema, Iparam, IPARAM_TYPES } from "@parley/contract";
import { isRunnable, type FindingWithPath } from "../../package/model/finding.ts";
import { attributeFindings } from "./attribute-rules.ts";
import { choiceFindings } from "./choice-rules.ts";
import { iparamFieldOf } from "./fields.ts";
import { iparamFinding } from "./iparam-findings.ts";
import { typeFault } from "./validate-value.ts";
import { patternsFault } from "./validate-values.ts";

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

const SENSITIVE = /auth|token|key|secret/;

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
 * Omit `functionNames` when the file of the callbacks can't be read, which is reported separately.
 * @assumed Expressions have the syntax of RE2: look-around and back references are refused, since they can block a host.
 * @spec Resources and their fields > App installation parameters (iparams)
 */
export const checkIparams = (json: unknown, functionNames?: readonly string[]): FindingWithPath[] => {
  if (!isObject(json)) return [iparamFinding("iparams-shape", {}, [])];
  return [
    ...keyFindings(Object.keys(json)),
    ...Object.entries(json).flatMap(([key, value]) => {
      const iparam = isObject(value) ? value : {};
      const findings = [
        ...attributeFindings(key, iparam),
        ...choiceFindings(key, iparam, functionNames),
        ...secureFindings(key, iparam),
      ];
      return isRunnable(findings) ? [...findings, ...defaultFindings(key, value)] : findings;
    }),
  ];
};
