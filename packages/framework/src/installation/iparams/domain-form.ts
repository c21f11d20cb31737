import type { Iparam, IparamValues } from "@parley/contract";
import type { Project } from "../../package/model/project.ts";
import { parseTemplate, TemplateError, type ParsedTemplate } from "../../request/templates/template.ts";
import { domainValue, type DomainForm } from "./domain.ts";
import { otherProduct, accountSuffixOf } from "../../request/templates/account-host.ts";

type Forms = ReadonlyMap<string, DomainForm>;

/** What an app says of its domains. */
export type DomainForms = Pick<Project, "iparams" | "requests" | "whitelistedDomains">;

const read = (text: string): ParsedTemplate => {
  try {
    return parseTemplate(text);
  } catch (error) {
    if (error instanceof TemplateError) return [];
    throw error;
  }
};

/** Whether more of a name follows: a dot alone ends one. */
const goesOn = ([piece, ...rest]: ParsedTemplate): boolean =>
  piece?.kind === "text" && piece.text.startsWith(".") && (/^\.[a-z0-9*]/i.test(piece.text) || rest.length > 0);

interface Use {
  readonly key: string;
  /** The text writes the rest of the name behind it. */
  readonly isCompleted: boolean;
}

const usesIn = (text: string): Use[] => {
  const template = read(text);
  return template.flatMap((piece, place) => {
    if (piece.kind !== "value" || piece.path.length !== 2) return [];
    const [source, key = ""] = piece.path;
    const isParameter = source === "iparam" || source === "context";
    return isParameter ? [{ key, isCompleted: goesOn(template.slice(place + 1)) }] : [];
  });
};

/**
 * How the app wants each of its domains, by key.
 * @assumed A domain's value is the whole host in lower case, such as `acme.example.com`; what a person pastes around it is taken off.
 * Where the app itself writes the rest behind it, in whitelisted-domains or in a host of config/requests.json
 * (`<%= iparam.domain %>.example.com`), the value is the account's name alone. So is that of another product, unless the app uses it
 * there as a whole host: code writes the rest behind it. That holds wherever the app reads it.
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

/** Each version of an app is read once: its values are looked up with every event. */
const known = new WeakMap<DomainForms, Forms>();

export const domainForms = (app: DomainForms): Forms => {
  const forms = known.get(app) ?? formsOf(app);
  known.set(app, forms);
  return forms;
};

/** Values as the app wants them now: it may have been edited since they were kept. */
export const inDomainForm = (values: IparamValues, app: DomainForms, suffix: string): IparamValues => {
  const forms = domainForms(app);
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      const form = forms.get(key);
      return [key, form && typeof value === "string" ? (domainValue(value, form, suffix) ?? value) : value];
    }),
  );
};
