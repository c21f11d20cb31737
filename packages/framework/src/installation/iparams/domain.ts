const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** The account's whole host, from its name alone, its host or its address; undefined where there is no account name in it. */
export const domainHostOf = (text: string, suffix: string): string | undefined => {
  const bare = text
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, "")
    .replace(/[/?#].*$/, "");
  const label = bare.endsWith(suffix) ? bare.slice(0, -suffix.length) : bare;
  return LABEL.test(label) ? label + suffix : undefined;
};

/** The account name of a host: what a person types. */
export const domainLabelOf = (host: string, suffix: string): string =>
  host.endsWith(suffix) ? host.slice(0, -suffix.length) : host;

/** What a domain parameter's value is: the account's name where the app writes the rest itself. */
export interface DomainForm {
  readonly isLabel?: boolean;
  /** What follows the account's name in a domain of another product. */
  readonly suffix?: string;
}

/** What the app gets for what a person typed; undefined where there is no account name in it. */
export const domainValue = (
  text: string,
  { isLabel = false, suffix: own }: DomainForm,
  suffix: string,
): string | undefined => {
  const end = own ?? suffix;
  const host = domainHostOf(text, end);
  return host === undefined || !isLabel ? host : domainLabelOf(host, end);
};
