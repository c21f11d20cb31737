import { createHash, timingSafeEqual } from "node:crypto";
import type { Vault } from "@parley/database";
import type { Ports } from "../../../base/environment/ports.ts";
import { hashOf, newSecret } from "../secrets/secrets.ts";
import type { ProviderRow } from "./store.ts";

/**
 * How long a sign-in at a provider may take.
 * @units milliseconds
 * @assumed
 */
export const FLOW_LIFETIME_MS = 10 * 60_000;
/** Name of the cookie that binds a sign-in to the browser. A browser has one sign-in at a time: a later sign-in replaces an earlier sign-in. */
export const FLOW_COOKIE = "parley_provider_sign_in";
const VAULT_OWNER = "sign-in by identity provider";

/** A sign-in that was sent to a provider. */
export interface ProviderFlow {
  readonly account: string;
  /** Name of the provider. */
  readonly provider: string;
  /** Identifies issuer and client: a provider that was changed meanwhile counts as another provider. */
  readonly client: string;
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE (RFC 7636). */
  readonly verifier: string;
  readonly redirectUri: string;
  /** Path to go to afterwards. */
  readonly next: string;
  /** @units epoch ms */
  readonly beganMs: number;
}

/** Identifies the issuer and client of a provider. */
export const providerClientId = ({ account_id, issuer, client_id }: ProviderRow): string =>
  createHash("sha256")
    .update(JSON.stringify([account_id, issuer, client_id]))
    .digest("base64url");

export const newProviderFlow = (
  provider: ProviderRow,
  { redirectUri, next }: Pick<ProviderFlow, "redirectUri" | "next">,
  { now, random }: Pick<Ports, "now" | "random">,
): ProviderFlow => ({
  account: provider.account,
  provider: provider.name,
  client: providerClientId(provider),
  state: newSecret(random),
  nonce: newSecret(random),
  verifier: newSecret(random),
  redirectUri,
  next,
  beganMs: now().getTime(),
});

/** The value of the cookie: encrypted, since it contains the verifier, and authenticated, so that no page can forge a cookie. */
export const sealFlow = (vault: Vault, flow: ProviderFlow): string => vault.seal(VAULT_OWNER, JSON.stringify(flow));

/** -> undefined for a cookie that was not made by `sealFlow` with this key */
export const openFlow = (vault: Vault, cookie: string): ProviderFlow | undefined => {
  try {
    return JSON.parse(vault.open(VAULT_OWNER, cookie)) as ProviderFlow;
  } catch {
    return undefined;
  }
};

/** Whether a response belongs to a flow. The comparison takes equally long for all texts. */
export const isStateOf = (flow: ProviderFlow, state: string): boolean =>
  timingSafeEqual(hashOf(flow.state), hashOf(state));
