import { isObject, Iparam, IPARAM_TYPES } from "@parley/contract";
import type { FindingWithPath, JsonEdit, JsonPath } from "../../package/model/finding.ts";
import { patternFault, patternsOf } from "./pattern.ts";
import { createFinding, type RuleCode } from "../../package/model/rules.ts";

const FILE = "config/iparams.json";

/** Creates a finding on a parameter, or on one of its attributes. */
export const iparamFinding = <Code extends RuleCode>(
  code: Code,
  parts: Parameters<typeof createFinding<Code>>[2],
  at: JsonPath,
  help?: string,
  fix: readonly JsonEdit[] = [],
): FindingWithPath =>
  createFinding(code, FILE, parts, { at, ...(help !== undefined && { help }), ...(fix.length > 0 && { fix }) });

/** Edit distance: the number of letters that differ between two names. */
const editsBetween = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let place = 1; place <= other.length; place += 1) {
      const changed = (row[place - 1] ?? 0) + (letter === other[place - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[place] ?? 0) + 1, (next[place - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

const EDIT_DISTANCE_MAX = 2;
/** Maximum length of a name that is compared. @units characters */
const NAME_LENGTH_MAX = 40;

/** The known name that is most similar to a misspelt one. */
const similarNames = (name: string, names: readonly string[]): string | undefined => {
  if (name.length > NAME_LENGTH_MAX) return undefined;
  const close = names
    .map((one) => ({ one, edits: editsBetween(name.toLowerCase(), one) }))
    .filter(({ one, edits }) => edits <= Math.min(EDIT_DISTANCE_MAX, Math.floor(one.length / 3)))
    .sort((one, other) => one.edits - other.edits);
  return close[0]?.one;
};

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
  const meant = typeof type === "string" ? similarNames(type, types) : undefined;
  const help = `${meant === undefined ? "" : `Did you mean '${meant}'? `}The types are ${types.join(", ")}.`;
  const at = [key, "type"];
  const fix: JsonEdit[] = meant === undefined ? [] : [{ kind: "set", at, value: meant }];
  return [iparamFinding("iparams-type", { type: written(type), key }, at, help, fix)];
};

const unknown = (key: string, iparam: Declared): FindingWithPath[] => {
  const strange = Object.keys(iparam).filter((name) => !ATTRIBUTE_NAMES.includes(name));
  const meant = strange.flatMap((name) => {
    const one = similarNames(name, ATTRIBUTE_NAMES);
    return one === undefined ? [] : [{ name, one }];
  });
  const help = meant.map(({ name, one }) => `Did you mean '${one}' in place of '${name}'?`).join(" ");
  const isFree = (one: string) => iparam[one] === undefined && meant.filter((other) => other.one === one).length === 1;
  const fix = meant
    .filter(({ one }) => isFree(one))
    .map(({ name, one }): JsonEdit => ({ kind: "rename", at: [key, name], name: one }));
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
    .map((name) => iparamFinding("iparams-text", { name, key }, [key, name]));

const booleans = (key: string, iparam: Declared): FindingWithPath[] =>
  ["required", "secure", "visible"]
    .filter((name) => iparam[name] !== undefined && typeof iparam[name] !== "boolean")
    .map((name) => {
      const at = [key, name];
      const value = iparam[name];
      const isWritten = value === "true" || value === "false";
      const fix: JsonEdit[] = isWritten ? [{ kind: "set", at, value: value === "true" }] : [];
      return iparamFinding("iparams-boolean", { name, key }, at, undefined, fix);
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

const modules = (key: string, { modules: value }: Declared): FindingWithPath[] =>
  value === undefined || (Array.isArray(value) && value.every((name) => typeof name === "string"))
    ? []
    : [iparamFinding("iparams-modules", { key }, [key, "modules"])];

const dataBind = (key: string, { "data-bind": value }: Declared): FindingWithPath[] =>
  value === undefined || typeof value === "boolean" || (typeof value === "string" && value !== "")
    ? []
    : [iparamFinding("iparams-text", { name: "data-bind", key }, [key, "data-bind"])];

/** Findings on single attributes of a parameter. */
export const attributeFindings = (key: string, iparam: Declared): FindingWithPath[] =>
  [missing, unknownType, unknown, texts, booleans, patterns, typeAttributes, dataBind, modules].flatMap((rule) =>
    rule(key, iparam),
  );
