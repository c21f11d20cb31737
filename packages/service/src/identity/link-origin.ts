import { isLocalHost, type PageAddressOf } from "@parley/contract";

interface LinkOriginDeps {
  readonly pageAddressOf: PageAddressOf;
  readonly publicUrl: string | undefined;
  /** Hosts of accounts are `<account>.<domain>`. */
  readonly domain: string;
  /** Origin of this service; final once it listens. */
  readonly origin: () => string;
}

/**
 * A Host header that is a name or an IP address with or without a port. Node accepts any text: `evil.example/.localhost:10002` would be an
 * address on another host.
 */
const HOST = /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[::1\])(?::\d{1,5})?$/;

const portOf = (text: string): string => /:(\d{1,5})$/.exec(text)?.[1] ?? "";

/**
 * Creates the function from a Host header to the origin of links with secrets. Senders choose the header: a link must not lead to another
 * host, where its secret would be read.
 * -> undefined for a host that is neither the configured public one, nor one of an account, nor this machine with this service's port
 */
export const createLinkOrigin =
  ({ pageAddressOf, publicUrl, domain, origin }: LinkOriginDeps) =>
  (host: string | undefined): string | undefined => {
    if (publicUrl !== undefined) return publicUrl;
    const text = (host ?? "").toLowerCase();
    if (!HOST.test(text)) return undefined;
    if (isLocalHost(text)) return portOf(text) === portOf(origin()) ? pageAddressOf(text).origin : undefined;
    const name = text.replace(/:\d+$/, "");
    const account = name.endsWith(`.${domain}`) ? name.slice(0, -domain.length - 1) : "";
    return account !== "" && !account.includes(".") ? pageAddressOf(text).origin : undefined;
  };
export type LinkOrigin = ReturnType<typeof createLinkOrigin>;
