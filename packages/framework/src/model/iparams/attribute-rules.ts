import { isObject, Iparam, IPARAM_TYPES } from "@parley/contract";
import type { FindingWithPath, JsonEdit, JsonPath } from "../finding.ts";
import { patternFault, patternsOf } from "./pattern.ts";
import { createFinding, type RuleCode } from "../rules.ts";
import { misspeltMembers, similarName } from "../similar-name.ts";

const FILE = "config/iparams.json";

/** A value that is true or false, written as a text. */
export const booleanFix = (value: unknown, at: JsonPath): JsonEdit[] =>
  value === "true" || value === "false" ? [{ kind: "set", at, value: value === "true" }] : [];

/** Creates a finding on a parameter, or on one of its attributes. */
export const iparamFinding = <Code extends RuleCode>(
  code: Code,
  parts: Parameters<typeof createFinding<Code>>[2],
  at: JsonPath,
  help?: string,
  fix: readonly JsonEdit[] = [],
): FindingWithPath =>
  createFinding(code, FILE, parts, { at, ...(help !== undefined && { help }), ...(fix.length > 0 && { fix }) });

type Declared = Readonly<Record<string, unknown>>;

const ATTRIBUTE_NAMES = Object.keys(Iparam.properties);

/** A value that should be a string, as written in the file. */
const written = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

const missing = (key: string, iparam: Declared): FindingWithPath[] => {
  const absent = ["display_name", "type"].filter((name) => iparam[name] === undefined || iparam[name] === "");
  return absent.length > 0 ? [iparamFinding("iparams-missing", { names: absent.join(", "), key }, [key])] : [];
};

const unknownType = (key: string, { type }: Declared): FindingWithPath[] => {
  if (type === undefined || type === "" || (typeof type === "string" && Object.hasOwn(IPARAM_TYPES, type))) return [];
  const types = Object.keys(IPARAM_TYPES);
  const meant = typeof type === "string" ? similarName(type, types) : undefined;
  const help = `${meant === undefined ? "" : `Did you mean '${meant}'? `}The types are ${types.join(", ")}.`;
  const at = [key, "type"];
  const fix: JsonEdit[] = meant === undefined ? [] : [{ kind: "set", at, value: meant }];
  return [iparamFinding("iparams-type", { type: written(type), key }, at, help, fix)];
};

const unknown = (key: string, iparam: Declared): FindingWithPath[] => {
  const strange = Object.keys(iparam).filter((name) => !ATTRIBUTE_NAMES.includes(name));
  const meant = strange.flatMap((name) => {
    const one = similarName(name, ATTRIBUTE_NAMES);
    return one === undefined ? [] : [{ name, one }];
  });
  const help = meant.map(({ name, one }) => `Did you mean '${one}' in place of '${name}'?`).join(" ");
  const fix = misspeltMembers(Object.keys(iparam), ATTRIBUTE_NAMES).map(({ name, meant: one }): JsonEdit => ({
    kind: "rename",
    at: [key, name],
    name: one,
  }));
  return strange.length > 0
    ? [
        iparamFinding(
          "iparams-unknown",
          { names: strange.join(", "), key },
          [key, strange[0] ?? ""],
          help === "" ? undefined : help,
          fix,
        ),
      ]
    : [];
};

const texts = (key: string, iparam: Declared): FindingWithPath[] =>
  ["display_name", "description"]
    .filter((name) => iparam[name] !== undefined && typeof iparam[name] !== "string")
    .map((name) => {
      const at = [key, name];
      const fix: JsonEdit[] = typeof iparam[name] === "number" ? [{ kind: "quote", at }] : [];
      return iparamFinding("iparams-text", { name, key }, at, undefined, fix);
    });

const booleans = (key: string, iparam: Declared): FindingWithPath[] =>
  ["required", "secure", "visible"]
    .filter((name) => iparam[name] !== undefined && typeof iparam[name] !== "boolean")
    .map((name) => {
      const at = [key, name];
      return iparamFinding("iparams-boolean", { name, key }, at, undefined, booleanFix(iparam[name], at));
    });

const ERROR = "-error";

const patterns = (key: string, { regex }: Declared): FindingWithPath[] => {
  if (regex === undefined) return [];
  const pairs = isObject(regex) ? Object.entries(regex) : [];
  if (pairs.length === 0) return [iparamFinding("iparams-regex-empty", { key }, [key, "regex"])];
  const at = (name: string) => [key, "regex", name];
  const bad = pairs.filter(([, value]) => typeof value !== "string").map(([name]) => name);
  if (bad.length > 0)
    return bad.map((name) => iparamFinding("iparams-regex", { name, key }, at(name), "It must be a text."));
  const rules = patternsOf(regex as Record<string, string>);
  const orphans = pairs
    .map(([name]) => name)
    .filter((name) => name.endsWith(ERROR) && !rules.some((rule) => `${rule.name}${ERROR}` === name));
  return [
    ...orphans.map((name) =>
      iparamFinding("iparams-regex-orphan", { name: name.slice(0, -ERROR.length), key }, at(name)),
    ),
    ...rules
      .filter(({ message }) => message === undefined || message === "")
      .map(({ name }) =>
        iparamFinding(
          "iparams-regex-message",
          { name, key },
          at(name),
          `Add "${name}${ERROR}" with the text that a person reads.`,
        ),
      ),
    ...rules.flatMap(({ name, expression }) => {
      const fault = patternFault(expression);
      return fault === undefined ? [] : [iparamFinding("iparams-regex", { name, key }, at(name), fault)];
    }),
  ];
};

const typeAttributes = (key: string, { type, type_attributes: value }: Declared): FindingWithPath[] => {
  if (value === undefined) {
    if (type === "api_key") return [iparamFinding("iparams-type-attributes", { type }, [key])];
    return type === "domain" ? [iparamFinding("iparams-domain-product", { type }, [key])] : [];
  }
  const { product, section } = (typeof value === "object" && value !== null ? value : {}) as Declared;
  const at = [key, "type_attributes"];
  // Other types need no product: they can have a section only.
  const isWhole = type === "api_key" || type === "domain" || section === undefined;
  const hasProduct = typeof product === "string" ? product !== "" : product === undefined && !isWhole;
  return [
    ...(hasProduct ? [] : [iparamFinding("iparams-product", { key }, at)]),
    ...(section === undefined || (typeof section === "string" && section.trim() !== "")
      ? []
      : [iparamFinding("iparams-text", { name: "section", key }, [...at, "section"])]),
  ];
};

/** A text in place of a list of texts. */
const wrapOf = (value: unknown, at: JsonPath): JsonEdit[] => (typeof value === "string" ? [{ kind: "wrap", at }] : []);

const modules = (key: string, { modules: value }: Declared): FindingWithPath[] =>
  value === undefined || (Array.isArray(value) && value.every((name) => typeof name === "string"))
    ? []
    : [iparamFinding("iparams-modules", { key }, [key, "modules"], undefined, wrapOf(value, [key, "modules"]))];

const dataBind = (key: string, { "data-bind": value }: Declared): FindingWithPath[] =>
  value === undefined || typeof value === "boolean" || (typeof value === "string" && value !== "")
    ? []
    : [iparamFinding("iparams-text", { name: "data-bind", key }, [key, "data-bind"])];

/** Findings on single attributes of a parameter. */
export const attributeFindings = (key: string, iparam: Declared): FindingWithPath[] =>
  [missing, unknownType, unknown, texts, booleans, patterns, typeAttributes, dataBind, modules].flatMap((rule) =>
    rule(key, iparam),
  );
