import { fits, misfits, PRODUCTS, RequestTemplate, type IparamsConfig, type RequestTemplates } from "@parley/contract";
import { parseTemplate, pathsIn, TemplateError, type Template } from "../request/template.ts";
import { errorIn, warningIn, type Finding } from "./finding.ts";

export const REQUESTS = "config/requests.json";
/** @spec none; the field's limit */
const MOST_TEMPLATES = 100;
const FQDN = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i;

type Found = (code: string, message: string) => Finding;

const foundIn =
  (name: string): Found =>
  (code, message) =>
    errorIn(REQUESTS, code, `Request template '${name}': ${message}`);

const shapeRules = (found: Found, template: unknown): Finding[] =>
  misfits(RequestTemplate, template).map(({ pointer, rule, message, properties }) => {
    const where = pointer.slice(1) || "it";
    return rule === "additionalProperties"
      ? found("request-shape", `${where} must NOT have additional properties '${properties.join("', '")}'`)
      : found("request-shape", [where, message, ...properties].join(" "));
  });

const hostRules = (found: Found, host: string): Finding[] => {
  const filled = host.replace(/<%=[\s\S]*?%>/g, "a.b");
  if (!filled.includes("://") && filled.includes("/")) return [found("request-host", "schema/host must not have path")];
  return FQDN.test(filled) ? [] : [found("request-host", "schema/host must be FQDN")];
};

/** Whether each path is one that can be filled in, in this place. */
const pathRules = (found: Found, template: Template, iparams: IparamsConfig, inHeader: boolean): Finding[] =>
  pathsIn(template).flatMap(([source, ...keys]) => {
    const path = [source, ...keys].join(".");
    const [key = ""] = keys;
    if (source === "iparam" && keys.length === 1) {
      const iparam = Object.hasOwn(iparams, key) ? iparams[key] : undefined;
      if (!iparam) return [found("request-iparam", `iparam '${key}' is not defined in config/iparams.json`)];
      return iparam.secure && !inHeader
        ? [found("request-secure", `the secure iparam '${key}' may stand in headers only`)]
        : [];
    }
    if (source === "context" && keys.length === 1) return [];
    if (source === "current_host" && key === "endpoint_urls" && PRODUCTS.some((product) => product === keys[1]))
      return [];
    return [found("request-value", `'${path}' can't be filled in`)];
  });

const valueRules = (found: Found, text: string, iparams: IparamsConfig, inHeader: boolean): Finding[] => {
  try {
    return pathRules(found, parseTemplate(text), iparams, inHeader);
  } catch (error) {
    if (error instanceof TemplateError) return [found("request-template", error.message)];
    throw error;
  }
};

const templateRules = (name: string, template: unknown, iparams: IparamsConfig): Finding[] => {
  const found = foundIn(name);
  if (!fits(RequestTemplate, template)) return shapeRules(found, template);
  const { host, path = "/", headers = {}, query = {} } = template.schema;
  return [
    ...hostRules(found, host),
    ...(path.startsWith("/") ? [] : [found("request-path", "schema/path must start with '/'")]),
    ...(template.options?.isOAuth
      ? [found("request-oauth", "OAuth config must have required property 'integrations'")]
      : []),
    ...[host, path, ...Object.values(query)].flatMap((text) => valueRules(found, text, iparams, false)),
    ...Object.values(headers).flatMap((text) => valueRules(found, text, iparams, true)),
  ];
};

export interface RequestsRead {
  /** Those that are declared and sound. */
  readonly requests: RequestTemplates;
  readonly findings: readonly Finding[];
}

/** Checks `config/requests.json` by itself, against the parameters and against the names that the manifest declares. */
export const readRequests = (json: unknown, declared: readonly string[], iparams: IparamsConfig): RequestsRead => {
  if (typeof json !== "object" || json === null || Array.isArray(json))
    return {
      requests: {},
      findings: [errorIn(REQUESTS, "request-shape", "The file must hold an object of templates")],
    };
  const given = new Map<string, unknown>(Object.entries(json));
  const findings = [...given].flatMap(([name, template]) => templateRules(name, template, iparams));
  const missing = declared.filter((name) => !given.has(name));
  const undeclared = [...given.keys()].filter((name) => !declared.includes(name));
  return {
    requests: Object.fromEntries(
      [...given].filter(
        (entry): entry is [string, RequestTemplate] => declared.includes(entry[0]) && fits(RequestTemplate, entry[1]),
      ),
    ),
    findings: [
      ...findings,
      ...(given.size > MOST_TEMPLATES
        ? [errorIn(REQUESTS, "request-count", `At most ${MOST_TEMPLATES} request templates may be defined`)]
        : []),
      ...missing.map((name) =>
        errorIn(
          "manifest.json",
          "request-undeclared",
          `Request template '${name}' is not defined in config/requests.json`,
        ),
      ),
      ...undeclared.map((name) =>
        warningIn(REQUESTS, "request-undeclared", `Request template '${name}' is not declared in manifest.json`, {
          help: "it can't be used until it is",
        }),
      ),
    ],
  };
};
