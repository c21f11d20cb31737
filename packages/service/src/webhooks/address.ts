import { isIP } from "node:net";
import { INVALID_VALUE, refuse, urlOf } from "@parley/contract";
import { EgressFailure, failures, type Egress, type EgressReason } from "@parley/egress";

/** What to do about an address that no webhook may have. */
const REMEDIES: Partial<Record<EgressReason, string>> = {
  MUST_BE_HTTPS: "give an address that begins with https://",
  IP_DISALLOWED: "it leads to an address that is private or otherwise not public, which gets no webhooks",
  MUST_BE_FQDN: "give a host with its full name, such as hooks.example.com",
  CREDENTIALS_DISALLOWED: "leave the user and the password out: each delivery is signed",
};

const deny = (reason: EgressReason): never =>
  refuse(INVALID_VALUE, `url: ${failures[reason].message}: ${REMEDIES[reason] ?? "give another address"}.`);

const isThisMachine = (hostname: string): boolean =>
  hostname === "localhost" || isIP(hostname.replace(/^\[(.*)\]$/, "$1")) !== 0;

/**
 * Judges the address of a webhook before it is kept; each delivery looks again at where it leads by then.
 * -> the address as it is kept
 * @errors INVALID_VALUE
 * @assumed A name that has no address yet is taken: it may come to one.
 */
export const checkedAddress = async (egress: Pick<Egress, "vet">, text: string): Promise<string> => {
  try {
    await egress.vet(text);
  } catch (error) {
    if (error instanceof EgressFailure) return deny(error.reason);
  }
  const url = urlOf(text) ?? deny("MUST_BE_FQDN");
  if (url.protocol !== "https:" && !isThisMachine(url.hostname)) return deny("MUST_BE_HTTPS");
  url.hash = "";
  return url.href;
};
