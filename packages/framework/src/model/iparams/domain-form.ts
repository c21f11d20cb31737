import type { Iparam, IparamValues } from "@parley/contract";
import type { Project } from "../project.ts";
import { parseTemplate, TemplateError, type ParsedTemplate } from "../templates/template.ts";
import { domainValue, type DomainForm } from "./domain.ts";
import { otherProduct, accountSuffixOf } from "../templates/account-host.ts";

type Forms = ReadonlyMap<string, DomainForm>;

/** The parts of an app that determine the form of its domains. */
export type DomainForms = Pick<Project, "iparams" | "requests" | "whitelistedDomains">;

const read = (text: string): ParsedTemplate => {
  try {
    return parseTemplate(text);
  } catch (error) {
    if (error instanceof TemplateError) return [];
    throw error;
  }
};

/** Whether the host name continues: a single dot ends it. */
const continuesHost = ([piece, ...rest]: ParsedTemplate): boolean =>
  piece?.kind === "text" && piece.text.startsWith(".") && (/^\.[a-z0-9*]/i.test(piece.text) || rest.length > 0);

interface Use {
  readonly key: string;
  /** The text appends the rest of the host name. */
  readonly isCompleted: boolean;
}

const usesIn = (text: string): Use[] => {
  const template = read(text);
  return template.flatMap((piece, place) => {
    if (piece.kind !== "value" || piece.path.length !== 2) return [];
    const [source, key = ""] = piece.path;
    const isParameter = source === "iparam" || source === "context";
    return isParameter ? [{ key, isCompleted: continuesHost(template.slice(place + 1)) }] : [];
  });
};

/**
 * The form of each domain parameter, by key.
 * @assumed The value of a domain is the whole host in lower case, such as `acme.example.com`; anything around a pasted host is removed.
 * If the app appends the rest itself, in whitelisted-domains or in a host of config/requests.json (`<%= iparam.domain %>.example.com`),
 * the value is the account's name only. The value of another product's domain is the account's name too, unless the app uses it there as a
 * whole host: code appends the rest. The form is the same wherever the app reads the value.
 * @spec Resources and their fields > App installation parameters (iparams)
 */
const formsOf = ({ iparams, requests, whitelistedDomains = [] }: DomainForms): Forms => {
  const hosts = [...whitelistedDomains, ...Object.values(requests).map(({ schema }) => schema.host)];
  const uses = hosts.flatMap(usesIn);
  const keysOf = (isCompleted: boolean) =>
    new Set(uses.flatMap((use) => (use.isCompleted === isCompleted ? [use.key] : [])));
  const [labels, wholes] = [keysOf(true), keysOf(false)];
  const form = (key: string, iparam: Iparam): DomainForm => {
    const product = otherProduct(iparam);
    if (product === undefined) return { isLabel: labels.has(key) };
    return { isLabel: labels.has(key) || !wholes.has(key), suffix: accountSuffixOf(product) };
  };
  return new Map(
    Object.entries(iparams)
      .filter(([, { type }]) => type === "domain")
      .map(([key, iparam]) => [key, form(key, iparam)]),
  );
};

/** Forms are computed once for each version of an app: every event needs them. */
const formsByDeclaration = new WeakMap<DomainForms, Forms>();

export const domainForms = (app: DomainForms): Forms => {
  const forms = formsByDeclaration.get(app) ?? formsOf(app);
  formsByDeclaration.set(app, forms);
  return forms;
};

/** Converts stored values to the present forms: the app may have been edited since. */
export const inDomainForm = (values: IparamValues, app: DomainForms, suffix: string): IparamValues => {
  const forms = domainForms(app);
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      const form = forms.get(key);
      return [key, form && typeof value === "string" ? (domainValue(value, form, suffix) ?? value) : value];
    }),
  );
};
