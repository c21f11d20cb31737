const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * The account's whole host, from its name alone, its host or its address; undefined where there is no account name in it.
 * @assumed A domain's value is the whole host, in lower case; what a person pastes around it is taken off.
 */
export const hostOf = (text: string, suffix: string): string | undefined => {
  const bare = text
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, "")
    .replace(/[/?#].*$/, "");
  const label = bare.endsWith(suffix) ? bare.slice(0, -suffix.length) : bare;
  return LABEL.test(label) ? label + suffix : undefined;
};

/** The account name of a host: what a person types. */
export const labelOf = (host: string, suffix: string): string =>
  host.endsWith(suffix) ? host.slice(0, -suffix.length) : host;
