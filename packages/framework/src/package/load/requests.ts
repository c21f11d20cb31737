import {
  isObject,
  matchesSchema,
  schemaErrors,
  PRODUCTS,
  RequestTemplate,
  type IparamsConfig,
  type RequestTemplates,
} from "@parley/contract";
import { parseTemplate, pathsIn, TemplateError, type ParsedTemplate } from "../../request/templates/template.ts";
import type { FoundDetail, JsonPath } from "../model/finding.ts";
import { misfitPath, misfitMessage } from "../model/json.ts";
import { MANIFEST_FILE } from "../model/manifest.ts";
import { found } from "../model/rules.ts";

export const REQUESTS = "config/requests.json";
/** @assumed The limit that other hosts of apps have. */
const MOST_TEMPLATES = 100;
const FQDN = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i;

/** What templates are checked against. */
export interface RequestSurroundings {
  /** Names that the manifest declares, and where. */
  readonly declared: ReadonlyMap<string, JsonPath>;
  /** Undefined while nobody knows them: an installation page of the app's own makes them as it likes. */
  readonly iparams?: IparamsConfig | undefined;
  readonly hasOAuth: boolean;
  /** Names of the integrations of config/oauth_config.json; undefined where they can't be read, which is said there. */
  readonly integrations?: readonly string[] | undefined;
  /** Other products that the manifest names. */
  readonly otherProducts: readonly string[];
  /** Keys of config/app_settings.json; undefined where there is none. */
  readonly settings: readonly string[] | undefined;
}

interface Place {
  readonly name: string;
  readonly at: JsonPath;
  readonly inHeader: boolean;
}

const shapeRules = (name: string, template: unknown): FoundDetail[] =>
  schemaErrors(RequestTemplate, template).map((misfit) => {
    const { pointer, rule, properties } = misfit;
    const text =
      rule === "additionalProperties"
        ? `must NOT have additional properties '${properties.join("', '")}'`
        : misfitMessage(misfit);
    const at = [name, ...misfitPath(misfit), ...(rule === "additionalProperties" ? properties.slice(0, 1) : [])];
    return found("request-shape", REQUESTS, { name, place: pointer.slice(1) || "it", text }, { at });
  });

const hostRules = (name: string, host: string): FoundDetail[] => {
  const filled = host.replace(/<%=[\s\S]*?%>/g, "a.b");
  const at = [name, "schema", "host"];
  if (!filled.includes("://") && filled.includes("/")) return [found("request-host-path", REQUESTS, { name }, { at })];
  return FQDN.test(filled) ? [] : [found("request-host", REQUESTS, { name }, { at })];
};

/** Whether each path is one that can be filled in, in this place. */
const pathRules = (
  template: ParsedTemplate,
  { name, at, inHeader }: Place,
  around: RequestSurroundings,
): FoundDetail[] =>
  pathsIn(template).flatMap(([source, ...keys]) => {
    const [key = ""] = keys;
    const { iparams, settings } = around;
    if (source === "iparam" && keys.length === 1) {
      if (!iparams) return [];
      const iparam = Object.hasOwn(iparams, key) ? iparams[key] : undefined;
      if (!iparam) return [found("request-iparam", REQUESTS, { name, key }, { at })];
      return iparam.secure && !inHeader ? [found("request-secure", REQUESTS, { name, key }, { at })] : [];
    }
    if (source === "app_settings" && keys.length === 1 && !settings?.includes(key))
      return [found("request-setting", REQUESTS, { name, key }, { at })];
    if (["context", "app_settings", "oauth_iparams"].includes(source) && keys.length === 1) return [];
    if (source === "access_token" && keys.length === 0) return [];
    const [, product = ""] = keys;
    if (source === "current_host" && key === "endpoint_urls" && keys.length === 2) {
      if ([...PRODUCTS, ...around.otherProducts].includes(product)) return [];
      return [found("request-product", REQUESTS, { name, product }, { at })];
    }
    return [found("request-value", REQUESTS, { name, path: [source, ...keys].join(".") }, { at })];
  });

const valueRules = (text: string, place: Place, around: RequestSurroundings): FoundDetail[] => {
  try {
    return pathRules(parseTemplate(text), place, around);
  } catch (error) {
    if (error instanceof TemplateError)
      return [found("request-template", REQUESTS, { name: place.name, text: error.message }, { at: place.at })];
    throw error;
  }
};

/** Whether the template's token comes from an integration that there is, by the rule of the request method. */
const oauthRules = (name: string, { options = {} }: RequestTemplate, around: RequestSurroundings): FoundDetail[] => {
  const { hasOAuth, integrations } = around;
  const asking = (["isOAuth", "oauth"] as const).filter((option) => options[option]);
  if (!hasOAuth)
    return asking.map((option) => found("request-oauth", REQUESTS, { name }, { at: [name, "options", option] }));
  if (asking.length === 0 || !integrations) return [];
  const isNamed = options.oauth === undefined ? integrations.length === 1 : integrations.includes(options.oauth);
  const parts = { name, integration: options.oauth ?? "", known: integrations.join(", ") };
  return isNamed ? [] : [found("request-integration", REQUESTS, parts, { at: [name, "options", asking.at(-1) ?? ""] })];
};

const templateRules = (name: string, template: unknown, around: RequestSurroundings): FoundDetail[] => {
  if (!matchesSchema(RequestTemplate, template)) return shapeRules(name, template);
  const { host, path = "/", headers = {}, query = {} } = template.schema;
  const value = (text: string, at: JsonPath, inHeader = false) =>
    valueRules(text, { name, at: [name, "schema", ...at], inHeader }, around);
  return [
    ...hostRules(name, host),
    ...(path.startsWith("/") ? [] : [found("request-path", REQUESTS, { name }, { at: [name, "schema", "path"] })]),
    ...oauthRules(name, template, around),
    ...value(host, ["host"]),
    ...value(path, ["path"]),
    ...Object.entries(query).flatMap(([member, text]) => value(text, ["query", member])),
    ...Object.entries(headers).flatMap(([member, text]) => value(text, ["headers", member], true)),
  ];
};

interface RequestsRead {
  /** Those that are declared and sound. */
  readonly requests: RequestTemplates;
  readonly findings: readonly FoundDetail[];
}

/** Checks `config/requests.json` by itself, against the parameters and against the names that the manifest declares. */
export const readRequests = (json: unknown, around: RequestSurroundings): RequestsRead => {
  if (!isObject(json)) return { requests: {}, findings: [found("requests-shape", REQUESTS, {})] };
  const { declared } = around;
  const given = new Map<string, unknown>(Object.entries(json));
  const sound = [...given].filter(
    (entry): entry is [string, RequestTemplate] => declared.has(entry[0]) && matchesSchema(RequestTemplate, entry[1]),
  );
  return {
    requests: Object.fromEntries(sound),
    findings: [
      ...[...given].flatMap(([name, template]) => templateRules(name, template, around)),
      ...(given.size > MOST_TEMPLATES ? [found("requests-count", REQUESTS, { most: String(MOST_TEMPLATES) })] : []),
      ...[...declared]
        .filter(([name]) => !given.has(name))
        .map(([name, at]) => found("request-undefined", MANIFEST_FILE, { name }, { at })),
      ...[...given.keys()]
        .filter((name) => !declared.has(name))
        .map((name) => found("request-undeclared", REQUESTS, { name }, { at: [name] })),
    ],
  };
};
