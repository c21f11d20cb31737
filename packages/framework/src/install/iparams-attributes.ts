import { Iparam, IPARAM_TYPES } from "@parley/contract";
import type { Finding } from "../project/finding.ts";
import { said } from "./iparams-findings.ts";
import { patternFault, patternsOf } from "./pattern.ts";

type Declared = Readonly<Record<string, unknown>>;

const say = said("error");
const KNOWN = Object.keys(Iparam.properties);

const missing = (key: string, iparam: Declared): Finding[] => {
  const absent = ["display_name", "type"].filter((name) => iparam[name] === undefined || iparam[name] === "");
  return absent.length > 0
    ? [say("iparams-missing", `The mandatory key(s), ${absent.join(", ")}, missing for the '${key}' field.`)]
    : [];
};

const unknown = (key: string, iparam: Declared): Finding[] => {
  const strange = Object.keys(iparam).filter((name) => !KNOWN.includes(name));
  const { type } = iparam;
  return [
    ...(type !== undefined && type !== "" && !(typeof type === "string" && Object.hasOwn(IPARAM_TYPES, type))
      ? [
          say(
            "iparams-type",
            `Invalid type, ${typeof type === "string" ? type : JSON.stringify(type)}, found in the '${key}' field.`,
            `The types are ${Object.keys(IPARAM_TYPES).join(", ")}.`,
          ),
        ]
      : []),
    ...(strange.length > 0
      ? [say("iparams-unknown", `Invalid key(s), ${strange.join(", ")}, found in the '${key}' field.`)]
      : []),
  ];
};

const texts = (key: string, iparam: Declared): Finding[] =>
  ["display_name", "description"]
    .filter((name) => iparam[name] !== undefined && typeof iparam[name] !== "string")
    .map((name) => say("iparams-text", `Specify a text for the ${name} key in the '${key}' field.`));

const booleans = (key: string, iparam: Declared): Finding[] =>
  ["required", "secure", "visible"]
    .filter((name) => iparam[name] !== undefined && typeof iparam[name] !== "boolean")
    .map((name) => say("iparams-boolean", `Specify either true or false for the ${name} key in the '${key}' field.`));

const patterns = (key: string, { regex }: Declared): Finding[] => {
  if (regex === undefined) return [];
  const pairs = typeof regex === "object" && regex !== null && !Array.isArray(regex) ? Object.entries(regex) : [];
  if (pairs.length === 0) return [say("iparams-regex-empty", `For the '${key}' field, regex should not be empty.`)];
  const bad = pairs.filter(([, value]) => typeof value !== "string").map(([name]) => name);
  if (bad.length > 0) {
    return bad.map((name) => say("iparams-regex", `Invalid regex entered for '${name}' in the '${key}' field.`));
  }
  const rules = patternsOf(regex as Record<string, string>);
  const orphans = pairs
    .map(([name]) => name)
    .filter((name) => name.endsWith("-error") && !rules.some((rule) => `${rule.name}-error` === name));
  return [
    ...orphans.map((name) =>
      say("iparams-regex-orphan", `In the '${key}' field, regex is missing for '${name.slice(0, -"-error".length)}'.`),
    ),
    ...rules
      .filter(({ message }) => message === undefined || message === "")
      .map(({ name }) =>
        say(
          "iparams-regex-message",
          `In the '${key}' field, error message is missing for '${name}'.`,
          `Add "${name}-error" with the text that a person reads.`,
        ),
      ),
    ...rules.flatMap(({ name, expression }) => {
      const fault = patternFault(expression);
      return fault === undefined
        ? []
        : [say("iparams-regex", `Invalid regex entered for '${name}' in the '${key}' field.`, fault)];
    }),
  ];
};

const typeAttributes = (key: string, { type, type_attributes: given }: Declared): Finding[] => {
  if (given === undefined) {
    if (type !== "api_key" && type !== "domain") return [];
    // The specification asks for it where the type is api_key only.
    return [
      said(type === "api_key" ? "error" : "warning")(
        "iparams-type-attributes",
        `type_attributes must be specified for type ${type} in iparams.json.`,
        'Add "type_attributes": { "product": "<product name>" }.',
      ),
    ];
  }
  const product = typeof given === "object" && given !== null ? (given as Declared)["product"] : undefined;
  return typeof product === "string" && product !== ""
    ? []
    : [say("iparams-product", `Mandatory key(s) product missing in type_attributes for ${key}.`)];
};

/** What is wrong with a parameter's attributes, each by itself. */
export const attributeFindings = (key: string, iparam: Declared): Finding[] =>
  [missing, unknown, texts, booleans, patterns, typeAttributes].flatMap((rule) => rule(key, iparam));
