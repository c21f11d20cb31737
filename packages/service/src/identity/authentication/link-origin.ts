import { isLocalHost, type PageAddressOf } from "@parley/contract";

interface LinkOriginDeps {
  readonly pageAddressOf: PageAddressOf;
  readonly publicUrl: string | undefined;
  /** Hosts of accounts are `<account>.<domain>`. */
  readonly domain: string;
  /** Origin of this service; final once it listens. */
  readonly origin: () => string;
}

/** A name or an IPv6 address of this machine, with or without a port. Anything else, such as a slash, would make an address of another host. */
const HOST_AND_PORT = /^(?:[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?|\[::1\])(?::\d{1,5})?$/;

const portOf = (text: string): string => /:(\d{1,5})$/.exec(text)?.[1] ?? "";

/**
 * Creates the function from a Host header to the origin of links with secrets. Senders choose the header: a link must not lead to another
 * host, where its secret would be read.
 * -> undefined for a host that is neither the configured public host, nor the host of an account, nor this machine with this service's port
 */
export const createLinkOrigin =
  ({ pageAddressOf, publicUrl, domain, origin }: LinkOriginDeps) =>
  (host: string | undefined): string | undefined => {
    if (publicUrl !== undefined) return publicUrl;
    const text = (host ?? "").toLowerCase();
    if (!HOST_AND_PORT.test(text)) return undefined;
    const isOwnPort = isLocalHost(text) && portOf(text) === portOf(origin());
    const name = text.replace(/:\d+$/, "");
    // Exactly one label: a host further below may serve something else.
    const label = name.endsWith(`.${domain}`) ? name.slice(0, -domain.length - 1) : "";
    const isAccount = label !== "" && !label.includes(".") && !isLocalHost(text);
    return isOwnPort || isAccount ? pageAddressOf(text).origin : undefined;
  };
export type LinkOrigin = ReturnType<typeof createLinkOrigin>;
