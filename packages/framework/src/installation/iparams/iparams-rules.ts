import { isObject, matchesSchema, Iparam, IPARAM_TYPES } from "@parley/contract";
import { isRunnable, type FindingWithPath } from "../../package/model/finding.ts";
import { attributeFindings } from "./attribute-rules.ts";
import { choiceFindings } from "./choice-rules.ts";
import { iparamFieldOf } from "./fields.ts";
import { iparamFinding } from "./iparam-findings.ts";
import { typeFault } from "./validate-value.ts";
import { patternsFault } from "./validate-values.ts";

/** Names of attributes, and one that would change what an object is: no parameter may be called so. */
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

/** A domain is judged with the account's, which nobody knows yet. */
const defaultFindings = (key: string, value: unknown): FindingWithPath[] => {
  if (!matchesSchema(Iparam, value) || value.default_value === undefined || value.type === "domain") return [];
  const field = iparamFieldOf(key, value, true, undefined);
  // Options have a rule of their own.
  const ofType = IPARAM_TYPES[value.type].options ? undefined : typeFault(field.initial, field, "");
  const fault = ofType ?? patternsFault(field.initial, field, "");
  return fault === undefined
    ? []
    : [iparamFinding("iparams-default-refused", { key, text: fault }, [key, "default_value"])];
};

/**
 * Judges `config/iparams.json` in the field's words; with no error among the findings it has the contract's shape.
 * Leave `functionNames` out while the file of the callbacks can't be read: that is an error of its own.
 * @assumed Expressions are those of RE2: look-around and back references are refused, since they can hang a host.
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
