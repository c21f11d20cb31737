import {
  APP_LIMITS,
  isObject,
  matchesSchema,
  schemaErrors,
  PRODUCTS,
  RequestTemplate,
  type IparamsConfig,
  type RequestTemplates,
} from "@parley/contract";
import { OPENING, parseTemplate, pathsIn, TemplateError, type ParsedTemplate } from "../../model/templates/template.ts";
import { withFix, type FindingWithPath, type JsonEdit, type JsonPath } from "../../model/finding.ts";
import { misfitPath, misfitMessage } from "../../model/json.ts";
import { MANIFEST_FILE } from "../../model/manifest.ts";
import { createFinding } from "../../model/rules.ts";
import { schemaFix } from "../../model/schema-fix.ts";
import { similarName } from "../../model/similar-name.ts";
import { privateHostRules, withoutPlaceholders } from "./refused-hosts.ts";

export const REQUESTS_FILE = "config/requests.json";
const FQDN = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i;

/** Declarations of the app that templates are checked against. */
export interface TemplateDeclarations {
  /** Names that the manifest declares, with their paths. */
  readonly declared: ReadonlyMap<string, JsonPath>;
  /** Undefined if the app has its own installation page, which determines the parameters at run time. */
  readonly iparams?: IparamsConfig | undefined;
  readonly hasOAuth: boolean;
  /** Names of the integrations in config/oauth_config.json; undefined if they are invalid, which is reported for that file. */
  readonly integrations?: readonly string[] | undefined;
  /** Other products that the manifest names. */
  readonly otherProducts: readonly string[];
  /** Keys of config/app_settings.json; undefined without app settings. */
  readonly settings: readonly string[] | undefined;
}

interface Place {
  readonly name: string;
  readonly at: JsonPath;
  readonly inHeader: boolean;
}

const shapeRules = (name: string, template: unknown): FindingWithPath[] =>
  schemaErrors(RequestTemplate, template).map((misfit) => {
    const { pointer, rule, properties } = misfit;
    const text =
      rule === "additionalProperties"
        ? `must NOT have additional properties '${properties.join("', '")}'`
        : misfitMessage(misfit);
    const at = [name, ...misfitPath(misfit), ...(rule === "additionalProperties" ? properties.slice(0, 1) : [])];
    return createFinding(
      "request-shape",
      REQUESTS_FILE,
      { name, place: pointer.slice(1) || "it", text },
      {
        at,
        ...withFix(schemaFix(RequestTemplate, template, misfit, [name])),
      },
    );
  });

/** An IP address is refused when the request is made. */
const IP_ADDRESS = /^\d+(?:\.\d+){3}$/;
const isFqdn = (host: string) => {
  const filled = withoutPlaceholders(host);
  return FQDN.test(filled) && !IP_ADDRESS.test(filled);
};

/** Moves the path of a host to the template's path if that has no path. */
const hostPathFix = (name: string, { host, path }: RequestTemplate["schema"]): JsonEdit[] => {
  const [, bare = "", rest = ""] = /^((?:<%=[\s\S]*?%>|[^/])*)(\/[\s\S]*)$/.exec(host) ?? [];
  if (!isFqdn(bare)) return [];
  const at = [name, "schema"];
  const shortened: JsonEdit = { kind: "set", at: [...at, "host"], value: bare };
  if (rest === "/") return [shortened];
  return path === undefined ? [shortened, { kind: "insert", at: [...at, "path"], value: rest }] : [];
};

const hostRules = (name: string, schema: RequestTemplate["schema"]): FindingWithPath[] => {
  const { host } = schema;
  const filled = withoutPlaceholders(host);
  const at = [name, "schema", "host"];
  if (!filled.includes("://") && filled.includes("/"))
    return [createFinding("request-host-path", REQUESTS_FILE, { name }, { at, ...withFix(hostPathFix(name, schema)) })];
  if (isFqdn(host)) return privateHostRules(REQUESTS_FILE, host, at);
  const bare = host
    .trim()
    .replace(/^https:\/\//i, "")
    .replace(/\/$/, "");
  const fix: JsonEdit[] = bare !== host && isFqdn(bare) ? [{ kind: "set", at, value: bare }] : [];
  return [createFinding("request-host", REQUESTS_FILE, { name }, { at, ...withFix(fix) })];
};

/** Findings for placeholders that cannot be filled in at this place. */
const pathRules = (
  template: ParsedTemplate,
  { name, at, inHeader }: Place,
  declarations: TemplateDeclarations,
): FindingWithPath[] =>
  pathsIn(template).flatMap(([source, ...keys]) => {
    const [key = ""] = keys;
    const { iparams, settings } = declarations;
    if (source === "iparam" && keys.length === 1) {
      if (!iparams) return [];
      const iparam = Object.hasOwn(iparams, key) ? iparams[key] : undefined;
      if (!iparam) return [createFinding("request-iparam", REQUESTS_FILE, { name, key }, { at })];
      return iparam.secure && !inHeader ? [createFinding("request-secure", REQUESTS_FILE, { name, key }, { at })] : [];
    }
    if (source === "app_settings" && keys.length === 1 && !settings?.includes(key))
      return [createFinding("request-setting", REQUESTS_FILE, { name, key }, { at })];
    if (["context", "app_settings", "oauth_iparams"].includes(source) && keys.length === 1) return [];
    if (source === "access_token" && keys.length === 0) return [];
    const [, product = ""] = keys;
    if (source === "current_host" && key === "endpoint_urls" && keys.length === 2) {
      if ([...PRODUCTS, ...declarations.otherProducts].includes(product)) return [];
      return [createFinding("request-product", REQUESTS_FILE, { name, product }, { at })];
    }
    return [createFinding("request-value", REQUESTS_FILE, { name, path: [source, ...keys].join(".") }, { at })];
  });

const valueRules = (text: string, place: Place, declarations: TemplateDeclarations): FindingWithPath[] => {
  try {
    return pathRules(parseTemplate(text), place, declarations);
  } catch (error) {
    if (error instanceof TemplateError)
      return [
        createFinding("request-template", REQUESTS_FILE, { name: place.name, text: error.message }, { at: place.at }),
      ];
    throw error;
  }
};

/** Checks that the template's token comes from an existing integration, by the rule of the request method. */
const oauthRules = (
  name: string,
  { options = {} }: RequestTemplate,
  declarations: TemplateDeclarations,
): FindingWithPath[] => {
  const { hasOAuth, integrations } = declarations;
  const oauthOptions = (["isOAuth", "oauth"] as const).filter((option) => options[option]);
  if (!hasOAuth)
    return oauthOptions.map((option) =>
      createFinding("request-oauth", REQUESTS_FILE, { name }, { at: [name, "options", option] }),
    );
  if (oauthOptions.length === 0 || !integrations) return [];
  const isNamed = options.oauth === undefined ? integrations.length === 1 : integrations.includes(options.oauth);
  const parts = { name, integration: options.oauth ?? "", known: integrations.join(", ") };
  const meant = options.oauth === undefined ? undefined : similarName(options.oauth, integrations);
  return isNamed
    ? []
    : [
        createFinding("request-integration", REQUESTS_FILE, parts, {
          at: [name, "options", oauthOptions.at(-1) ?? ""],
          ...withFix(meant === undefined ? [] : [{ kind: "set", at: [name, "options", "oauth"], value: meant }]),
        }),
      ];
};

/** A path that begins with a placeholder is checked when it is filled in: its value contains the slash. */
const slashRules = (name: string, path: string): FindingWithPath[] => {
  if (path.startsWith("/") || path.startsWith(OPENING)) return [];
  const at = [name, "schema", "path"];
  const fix: JsonEdit[] =
    /^[\w.~?-]/.test(path) && !path.includes("://") ? [{ kind: "set", at, value: `/${path}` }] : [];
  return [createFinding("request-path", REQUESTS_FILE, { name }, { at, ...withFix(fix) })];
};

const templateRules = (name: string, template: unknown, declarations: TemplateDeclarations): FindingWithPath[] => {
  if (!matchesSchema(RequestTemplate, template)) return shapeRules(name, template);
  const { host, path = "/", headers = {}, query = {} } = template.schema;
  const value = (text: string, at: JsonPath, inHeader = false) =>
    valueRules(text, { name, at: [name, "schema", ...at], inHeader }, declarations);
  return [
    ...hostRules(name, template.schema),
    ...slashRules(name, path),
    ...oauthRules(name, template, declarations),
    ...value(host, ["host"]),
    ...value(path, ["path"]),
    ...Object.entries(query).flatMap(([member, text]) => value(text, ["query", member])),
    ...Object.entries(headers).flatMap(([member, text]) => value(text, ["headers", member], true)),
  ];
};

interface RequestsRead {
  /** Valid templates that the manifest declares. */
  readonly requests: RequestTemplates;
  readonly findings: readonly FindingWithPath[];
}

/** Validates `config/requests.json`, also against the parameters and the names that the manifest declares. */
export const readRequests = (json: unknown, declarations: TemplateDeclarations): RequestsRead => {
  if (!isObject(json)) return { requests: {}, findings: [createFinding("requests-shape", REQUESTS_FILE, {})] };
  const { declared } = declarations;
  const templates = new Map<string, unknown>(Object.entries(json));
  const validTemplates = [...templates].filter(
    (entry): entry is [string, RequestTemplate] => declared.has(entry[0]) && matchesSchema(RequestTemplate, entry[1]),
  );
  return {
    requests: Object.fromEntries(validTemplates),
    findings: [
      ...[...templates].flatMap(([name, template]) => templateRules(name, template, declarations)),
      ...(templates.size > APP_LIMITS.requestTemplates
        ? [createFinding("requests-count", REQUESTS_FILE, { most: String(APP_LIMITS.requestTemplates) })]
        : []),
      ...[...declared]
        .filter(([name]) => !templates.has(name))
        .map(([name, at]) => createFinding("request-undefined", MANIFEST_FILE, { name }, { at })),
      ...[...templates.keys()]
        .filter((name) => !declared.has(name))
        .map((name) => createFinding("request-undeclared", REQUESTS_FILE, { name }, { at: [name] })),
    ],
  };
};
