/** An address of the admin's, in the form that the request template takes. @shape path: without its leading slash, with the query */
export interface OutsideAddress {
  readonly host: string;
  readonly path: string;
}

const ADDRESS_LENGTH_MAX = 2_000;
const LABEL = "[a-z0-9](?:[a-z0-9-]*[a-z0-9])?";
const HOST = new RegExp(`^(?:${LABEL}\\.)+${LABEL}$`, "i");
const NUMBER = /^[\d.]+$/;
const PARENT_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?=[/?]|$)/i;

/**
 * Parses the address of another system.
 * @assumed Ports, user names, passwords and IP addresses are refused: the request method accepts host names only, and secrets have their own
 * parameter.
 */
export function outsideOf(url: string): OutsideAddress | { readonly problem: string } {
  const text = url.trim();
  if (text === "") return { problem: "the address is missing." };
  if (text.length > ADDRESS_LENGTH_MAX)
    return { problem: `the address has more than ${ADDRESS_LENGTH_MAX} characters.` };
  const [, authority, rest = ""] = /^https:\/\/([^/?#]*)([^#]*)/i.exec(text) ?? [];
  if (authority === undefined) return { problem: "the address must begin with https://." };
  if (authority.includes("@")) return { problem: "the address must not hold a name or password: use the secret." };
  if (authority.includes(":")) return { problem: "the address must not name a port." };
  if (!HOST.test(authority) || NUMBER.test(authority))
    return { problem: "the address must name a host, such as crm.example.com." };
  const [path = ""] = rest.split("?");
  if (PARENT_SEGMENT.test(path)) return { problem: "the address must not climb by . or .. in its path." };
  return { host: authority.toLowerCase(), path: rest.replace(/^\//, "") };
}
