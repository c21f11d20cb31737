import type { Vault } from "@parley/database";
import type { Egress } from "@parley/egress";
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
  type ClientAuth,
  type Configuration,
} from "openid-client";
import { failSignIn, reasonOfProviderError } from "./failure.ts";
import { createGuardedFetch, PROVIDER_REQUEST_LIMITS } from "./guarded-fetch.ts";
import { canonicalIssuer } from "./issuer.ts";
import type { ProviderRow } from "./store.ts";

/** How long the configuration of a provider is used before it is read again, and how long a failure is. @units milliseconds */
const CACHE_TTL_MS = { read: 5 * 60_000, failed: 5_000 } as const;
const CACHED_PROVIDERS_MAX = 1_000;

/** Owner of an encrypted client secret: the secret can't be used for another issuer. */
export const clientSecretOwner = ({ account_id, name, issuer }: Pick<ProviderRow, "account_id" | "name" | "issuer">) =>
  `identity provider ${account_id} ${name} ${canonicalIssuer(issuer)}`;

/** Authenticates by the method that the provider lists, preferably the default one of OpenID Connect. */
const secretAuthentication = (secret: string): ClientAuth => {
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, client, body, headers) => {
    const { token_endpoint_auth_methods_supported: methods = ["client_secret_basic"] } = server;
    const isBasic = methods.includes("client_secret_basic") || !methods.includes("client_secret_post");
    return (isBasic ? basic : post)(server, client, body, headers);
  };
};

interface ProviderClientsDeps {
  readonly egress: Egress;
  readonly vault: () => Promise<Vault>;
  /** Whether providers may be on this machine, by plain http. */
  readonly isLocal: boolean;
}

interface CachedConfiguration {
  readonly configuration: Promise<Configuration>;
  /** @units milliseconds of the monotonic clock */
  untilMs: number;
}

/** OpenID Connect clients of the providers, with the providers' metadata and keys. */
export function createProviderClients({ egress, vault, isLocal }: ProviderClientsDeps) {
  const guardedFetch = createGuardedFetch(egress);
  const cache = new Map<string, CachedConfiguration>();

  const secretOf = async (provider: ProviderRow): Promise<string | undefined> => {
    if (provider.client_secret === null) return undefined;
    const opened = await vault();
    try {
      return opened.open(clientSecretOwner(provider), provider.client_secret);
    } catch {
      return failSignIn("the client secret can't be read: the key of stored secrets is another key");
    }
  };

  const configure = async (provider: ProviderRow): Promise<Configuration> => {
    const secret = await secretOf(provider);
    const authentication = secret === undefined ? None() : secretAuthentication(secret);
    const configuration = await discovery(new URL(provider.issuer), provider.client_id, undefined, authentication, {
      [customFetch]: guardedFetch,
      timeout: PROVIDER_REQUEST_LIMITS.timeoutMs / 1_000,
      // The guard decides about each address; plain http is refused by it except to this machine.
      execute: [enableNonRepudiationChecks, ...(isLocal ? [allowInsecureRequests] : [])],
    }).catch((error: unknown) => failSignIn(`its configuration can't be read: ${reasonOfProviderError(error)}`));
    // The library accepts issuers of several organisations for some hosts. Subjects of one issuer would belong to different organisations.
    if (canonicalIssuer(configuration.serverMetadata().issuer) !== canonicalIssuer(provider.issuer))
      failSignIn("its configuration names another issuer");
    return configuration;
  };

  const load = (key: string, provider: ProviderRow): CachedConfiguration => {
    for (const oldest of cache.keys()) {
      if (cache.size < CACHED_PROVIDERS_MAX) break;
      cache.delete(oldest);
    }
    const configuration = configure(provider);
    const entry = { configuration, untilMs: performance.now() + CACHE_TTL_MS.read };
    configuration.catch(() => {
      entry.untilMs = performance.now() + CACHE_TTL_MS.failed;
    });
    // Moved to the end, so that the map is in order of age.
    cache.delete(key);
    cache.set(key, entry);
    return entry;
  };

  return {
    /** @errors ProviderSignInFailure */
    configurationOf(provider: ProviderRow): Promise<Configuration> {
      const { account_id, name, issuer, client_id, client_secret } = provider;
      const key = JSON.stringify([account_id, name, issuer, client_id, client_secret]);
      const cached = cache.get(key);
      return (cached && cached.untilMs > performance.now() ? cached : load(key, provider)).configuration;
    },
  };
}
export type ProviderClients = ReturnType<typeof createProviderClients>;
