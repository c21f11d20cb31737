import { SIGN_IN_PATH, urlOf, type PageAddressOf } from "@parley/contract";
import { createLinkOrigin } from "./link-origin.ts";
import { accountOfHost } from "../edge/host.ts";

interface CallbackUrlDeps {
  readonly pageAddressOf: PageAddressOf;
  readonly publicUrl: string | undefined;
  /** Hosts of accounts are `<account>.<domain>`. */
  readonly domain: string;
  /** Origin of this service; final once it listens. */
  readonly origin: () => string;
}

/** Path at which a sign-in by an identity provider begins. */
export const providerSignInPath = (provider: string): string => `${SIGN_IN_PATH}/oidc/${provider}`;

/**
 * Creates the functions from a Host header to the address that a provider sends browsers back to. On a host that serves all accounts the
 * address names the account, so that no two providers have the same one (RFC 9700, section 4.4.2).
 * -> undefined for a host that is not one of this service, or that belongs to another account
 */
export const createCallbackUrls = (deps: CallbackUrlDeps) => {
  const { pageAddressOf, publicUrl, domain } = deps;
  const registeredOrigin = createLinkOrigin(deps);
  const otherOrigin = createLinkOrigin({ ...deps, publicUrl: undefined });
  const pageOrigin = (host: string | undefined): string | undefined =>
    pageAddressOf(host).origin === publicUrl ? publicUrl : otherOrigin(host);

  const callbackUrl =
    (originOf: (host: string | undefined) => string | undefined) =>
    (host: string | undefined, { account, name }: { readonly account: string; readonly name: string }) => {
      const origin = originOf(host);
      const url = origin === undefined ? undefined : urlOf(origin);
      // A Host header can be any text.
      if (!url || url.origin !== origin) return undefined;
      const named = accountOfHost(url.host, domain);
      const path = `${providerSignInPath(name)}/callback`;
      if (named === undefined) return `${origin}${path}/${account}`;
      return named === account ? origin + path : undefined;
    };
  return {
    /** The address to be registered with the provider: on the public host, if it is configured. */
    registered: callbackUrl(registeredOrigin),
    /** The address for a sign-in that begins at a page of this host. */
    ofPage: callbackUrl(pageOrigin),
    pageOrigin,
  };
};
export type CallbackUrls = ReturnType<typeof createCallbackUrls>;
