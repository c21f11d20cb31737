const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** The account's host for its name, its host or its URL; undefined for a text without an account name. */
export const domainHostOf = (text: string, suffix: string): string | undefined => {
  const bare = text
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, "")
    .replace(/[/?#].*$/, "");
  const label = bare.endsWith(suffix) ? bare.slice(0, -suffix.length) : bare;
  return LABEL.test(label) ? label + suffix : undefined;
};

/** The account name of a host, which people enter. */
export const domainLabelOf = (host: string, suffix: string): string =>
  host.endsWith(suffix) ? host.slice(0, -suffix.length) : host;

/** The form of a domain parameter's value: the account's name only, if the app appends the rest itself. */
export interface DomainForm {
  readonly isLabel?: boolean;
  /** The part after the account's name in a domain of another product. */
  readonly suffix?: string;
}

/** The value for the app, from the entered text; undefined for a text without an account name. */
export const domainValue = (
  text: string,
  { isLabel = false, suffix: own }: DomainForm,
  suffix: string,
): string | undefined => {
  const end = own ?? suffix;
  const host = domainHostOf(text, end);
  return host === undefined || !isLabel ? host : domainLabelOf(host, end);
};
