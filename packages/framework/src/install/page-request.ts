import { urlOf } from "@parley/contract";
import type { InstallQuestion, InstallRequest, IparamValue, RequestTemplates } from "@parley/contract";
import type { FetchCall, RequestCall, TemplateCall } from "../request/request-method.ts";
import { parseTemplate, pathsIn, TemplateError } from "../request/template.ts";
import type { Installation } from "./installations.ts";
import { entryOf, valueOf, type Field } from "./iparams-fields.ts";
import { isEmpty } from "./validate.ts";

export interface PageRequestDeps {
  readonly fields: readonly Field[];
  readonly requests: RequestTemplates;
  /** As the manifest has them. */
  readonly whitelistedDomains: readonly string[];
  readonly installation: Installation | undefined;
  readonly domainSuffix: string;
  /** The app draws its own page: nothing that is typed there is known before it is saved. */
  readonly isOwn: boolean;
}

/** What a person typed; an empty secure field stands for the stored value, so it is left out. */
const typed = (
  { values }: InstallRequest,
  { fields, domainSuffix }: PageRequestDeps,
): Readonly<Record<string, IparamValue>> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const { key, type, secure } = field;
      const entry = Object.hasOwn(values, key) ? entryOf(type, values[key]) : undefined;
      if (entry === undefined || (secure && isEmpty(entry))) return [];
      return [[key, valueOf(field, entry, domainSuffix)]];
    }),
  );

/** What a person stored is a host, an address or the beginning of one. */
const bare = (value: unknown): string =>
  typeof value === "string"
    ? value
        .toLowerCase()
        .replace(/^https?:\/\//, "")
        .replace(/[/:?#].*$/, "")
    : "";

type Known = Pick<PageRequestDeps, "fields" | "domainSuffix">;

/** Whether a host is a stored one, or goes on from the beginning of one; an account's name goes on in one way only. */
const isStored = (host: string, { values, domain }: Installation, { fields, domainSuffix }: Known): boolean =>
  [["", domain] as const, ...Object.entries(values)].some(([key, value]) => {
    const stored = bare(value);
    if (stored === "" || host === stored) return host !== "" && host === stored;
    const field = fields.find((candidate) => candidate.key === key && candidate.isLabel);
    return field ? host === stored + (field.suffix ?? domainSuffix) : host.startsWith(`${stored}.`);
  });

type Now = Readonly<Record<string, unknown>>;

/** Whether a text names what was stored, and nothing that only this request says. */
const isAsStored = (text: string, now: Now, context: Now, installation: Installation, known: Known): boolean =>
  pathsIn(parseTemplate(text)).every(([source, key = ""]) => {
    if (source === "iparam") return now[key] === installation.values[key];
    return source === "context" ? isStored(bare(context[key]), installation, known) : true;
  });

/** The host that a verb asks, filled in with what is stored; "" where that makes none. */
const hostOf = (url: string, { values, domain }: Installation): string => {
  const filled = parseTemplate(url).map((piece) => {
    if (piece.kind === "text") return piece.text;
    const [source, key = ""] = piece.kind === "value" ? piece.path : [];
    if (source === "current_host") return `https://${domain}`;
    return source === "iparam" && typeof values[key] === "string" ? values[key] : "";
  });
  const address = filled.join("");
  return urlOf(address)?.hostname ?? "";
};

/** Hosts that the manifest names whole. */
const named = (domains: readonly string[]): string[] =>
  domains.filter((domain) => !/[*<]/.test(domain)).map((domain) => bare(domain));

const mayHaveSecrets = (
  question: InstallQuestion,
  now: Now,
  installation: Installation,
  { requests, whitelistedDomains, ...known }: PageRequestDeps,
): boolean => {
  try {
    if ("name" in question) {
      const template = Object.hasOwn(requests, question.name) ? requests[question.name] : undefined;
      return isAsStored(template?.schema.host ?? "", now, question.options.context ?? {}, installation, known);
    }
    const host = hostOf(question.url, installation);
    const isKnown = named(whitelistedDomains).includes(host) || isStored(host, installation, known);
    return isKnown && isAsStored(question.url, now, {}, installation, known);
  } catch (error) {
    if (error instanceof TemplateError) return false;
    throw error;
  }
};

/**
 * A request of the app's code on the page, as the request method takes it.
 * @assumed Stored secure values go along only to a host that they were stored for, one that the stored values or the app's own files
 * name: else whoever may open the page could have them sent to a host of his own.
 */
export const callFrom = (asked: InstallRequest, deps: PageRequestDeps): TemplateCall | FetchCall => {
  const { installation, isOwn } = deps;
  const values = isOwn ? (installation?.values ?? {}) : typed(asked, deps);
  const by: RequestCall = {
    origin: "page",
    values,
    ...(installation && mayHaveSecrets(asked.question, values, installation, deps) ? { installation } : {}),
  };
  return "name" in asked.question ? { ...by, ...asked.question } : { ...by, options: {}, ...asked.question };
};
