import type { LookupFunction } from "node:net";
import { createSecureContext, rootCertificates } from "node:tls";
import { Pool } from "undici";
import type { HostAddress } from "./address.ts";
import type { Way } from "./guard.ts";

/** Maximum number of open connection pools. Beyond it, the least recently used one is closed after its requests. */
const MOST_WAYS = 256;

/**
 * Keep-alive connections, one pool per checked route, so that a connection to one set of addresses never serves a request that was
 * checked for another.
 */
export interface Pools {
  to(way: Way): Pool;
  isOpen(): boolean;
  close(): Promise<void>;
}

/**
 * Returns the checked addresses to the socket, whatever the name resolves to by then. The callback runs a tick later: a synchronous one
 * could fail before the socket has an error listener, which would end the process.
 */
const pinned =
  (addresses: readonly HostAddress[]): LookupFunction =>
  (_host, _options, callback) =>
    process.nextTick(callback, null, [...addresses]);

// Sorted, since resolvers rotate their answers.
const keyOf = ({ origin, addresses }: Way): string =>
  [origin, ...(addresses ?? []).map(({ address }) => address).sort()].join(" ");

export const pools = (ca: readonly string[] = []): Pools => {
  const byWay = new Map<string, Pool>();
  const secureContext = ca.length > 0 ? createSecureContext({ ca: [...rootCertificates, ...ca] }) : undefined;
  let open = true;

  // Set explicitly, so that no environment variable can disable the verification of certificates.
  const connect = { rejectUnauthorized: true, ...(secureContext && { secureContext }) };
  const dial = ({ origin, addresses }: Way): Pool =>
    // With autoSelectFamily, the socket asks for all addresses and tries them in turn.
    new Pool(origin, {
      autoSelectFamily: true,
      connect: addresses ? { ...connect, lookup: pinned(addresses) } : connect,
    });

  const makeRoom = (): void => {
    const [oldest] = byWay;
    if (byWay.size < MOST_WAYS || !oldest) return;
    byWay.delete(oldest[0]);
    void oldest[1].close();
  };

  return {
    to(way) {
      if (!open) throw new Error("This egress is closed.");
      const key = keyOf(way);
      const known = byWay.get(key);
      if (known) byWay.delete(key);
      else makeRoom();
      const pool = known ?? dial(way);
      byWay.set(key, pool);
      return pool;
    },
    isOpen: () => open,
    async close() {
      open = false;
      const all = [...byWay.values()];
      byWay.clear();
      await Promise.all(all.map((pool) => pool.destroy()));
    },
  };
};
