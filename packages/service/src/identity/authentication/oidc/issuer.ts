import { INVALID_VALUE, refuse, urlOf } from "@parley/contract";
import { EgressFailure, FAILURES, type Egress, type EgressReason } from "@parley/egress";

/** An issuer in the form in which subjects are stored and issuers are compared. @errors TypeError for a text that is not a URL */
export const canonicalIssuer = (text: string): string => new URL(text).href;

/** Remedies for issuers that can't be used. */
const REMEDIES: Partial<Record<EgressReason, string>> = {
  MUST_BE_HTTPS: "give an address that begins with https://",
  IP_DISALLOWED: "it leads to an address that is private or otherwise not public, which this service does not call",
  MUST_BE_FQDN: "give a host with its full name, such as login.example.com",
  CREDENTIALS_DISALLOWED: "leave the user and the password out",
};
const refuseIssuer = (reason: EgressReason): never =>
  refuse(INVALID_VALUE, `issuer: ${FAILURES[reason].message}: ${REMEDIES[reason] ?? "give another address"}.`);

/**
 * Checks an issuer before it is saved; each request resolves and checks its address again.
 * @errors INVALID_VALUE
 * @assumed A host name that does not resolve is accepted: it may resolve later. The issuer is an address without query and fragment, as OpenID
 *   Connect Discovery defines it.
 */
export const checkIssuer = async (egress: Pick<Egress, "vet">, text: string): Promise<void> => {
  try {
    await egress.vet(text);
  } catch (error) {
    if (error instanceof EgressFailure) return refuseIssuer(error.reason);
    throw error;
  }
  const url = urlOf(text) ?? refuseIssuer("MUST_BE_FQDN");
  if (/[?#\s]/.test(text)) refuse(INVALID_VALUE, "issuer: leave the query, the fragment and spaces out.");
  if (url.pathname.includes("/.well-known/"))
    refuse(
      INVALID_VALUE,
      "issuer: give the issuer, without /.well-known/openid-configuration: its document is read from there.",
    );
};
