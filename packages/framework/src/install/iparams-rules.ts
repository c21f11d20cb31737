import type { Finding } from "../project/finding.ts";
import { attributeFindings } from "./iparams-attributes.ts";
import { said, type Say } from "./iparams-findings.ts";
import { choiceFindings } from "./iparams-choices.ts";

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

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const keyFindings = (keys: readonly string[], say: Say): Finding[] => {
  const reserved = keys.filter((key) => RESERVED.includes(key));
  return [
    ...(reserved.length > 0
      ? [say("iparams-reserved-key", `Do not use reserved keywords, ${reserved.join(", ")}, as keys.`)]
      : []),
    ...(keys.some((key) => key.trim() === "")
      ? [say("iparams-empty-key", "The iparam key should be a non-empty string.")]
      : []),
  ];
};

const secureFindings = (key: string, iparam: Record<string, unknown>): Finding[] =>
  SENSITIVE.test(key.toLowerCase()) && iparam["secure"] !== true
    ? [
        said("warning")(
          "iparams-not-secure",
          `iparam '${key}' appears to be a secure param but it isn't marked as secure.`,
          'Add "secure": true to keep its value encrypted and out of the page, the events and the logs.',
        ),
      ]
    : [];

/**
 * Judges `config/iparams.json` in the field's words; with no error among the findings it has the contract's shape.
 * Leave `functionNames` out while the file of the callbacks can't be read: that is an error of its own.
 * @assumed Expressions are those of RE2: look-around and back references are refused, since they can hang a host.
 * @spec Resources and their fields > App installation parameters (iparams)
 */
export const checkIparams = (json: unknown, functionNames?: readonly string[]): Finding[] => {
  const say = said("error");
  if (!isObject(json)) return [say("iparams-shape", "iparams.json should hold an object of parameters by key.")];
  return [
    ...keyFindings(Object.keys(json), say),
    ...Object.entries(json).flatMap(([key, value]) => {
      const iparam = isObject(value) ? value : {};
      return [
        ...attributeFindings(key, iparam),
        ...choiceFindings(key, iparam, functionNames),
        ...secureFindings(key, iparam),
      ];
    }),
  ];
};
