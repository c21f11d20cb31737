import type { LookupFunction } from "node:net";
import { createSecureContext, rootCertificates } from "node:tls";
import { Pool } from "undici";
import type { HostAddress } from "./address.ts";
import type { CheckedRoute } from "./guard.ts";

/** Maximum number of open connection pools. Beyond it, the least recently used one is closed after its requests. */
const POOLS_MAX = 256;

/**
 * Keep-alive connections, one pool per checked route, so that a connection to one set of addresses never serves a request that was
 * checked for another.
 */
interface Pools {
  to(route: CheckedRoute): Pool;
  isOpen(): boolean;
  close(): Promise<void>;
}

/**
 * Returns the checked addresses to the socket, even if the name resolves to other addresses by then. The callback runs a tick later: a synchronous
 * one could fail before the socket has an error listener, which would end the process.
 */
const pinned =
  (addresses: readonly HostAddress[]): LookupFunction =>
  (_host, _options, callback) =>
    process.nextTick(callback, null, [...addresses]);

// Sorted, since resolvers rotate their answers.
const keyOf = ({ origin, addresses }: CheckedRoute): string =>
  [origin, ...(addresses ?? []).map(({ address }) => address).sort()].join(" ");

export const createPools = (ca: readonly string[] = []): Pools => {
  const byRoute = new Map<string, Pool>();
  const secureContext = ca.length > 0 ? createSecureContext({ ca: [...rootCertificates, ...ca] }) : undefined;
  let open = true;

  // Set explicitly, so that no environment variable can disable the verification of certificates.
  const connect = { rejectUnauthorized: true, ...(secureContext && { secureContext }) };
  const openPool = ({ origin, addresses }: CheckedRoute): Pool =>
    // With autoSelectFamily, the socket asks for all addresses and tries them in turn.
    new Pool(origin, {
      autoSelectFamily: true,
      connect: addresses ? { ...connect, lookup: pinned(addresses) } : connect,
    });

  const closeOldest = (): void => {
    const [oldest] = byRoute;
    if (byRoute.size < POOLS_MAX || !oldest) return;
    byRoute.delete(oldest[0]);
    void oldest[1].close();
  };

  return {
    to(route) {
      if (!open) throw new Error("This egress is closed.");
      const key = keyOf(route);
      const existing = byRoute.get(key);
      if (existing) byRoute.delete(key);
      else closeOldest();
      const pool = existing ?? openPool(route);
      byRoute.set(key, pool);
      return pool;
    },
    isOpen: () => open,
    async close() {
      open = false;
      const all = [...byRoute.values()];
      byRoute.clear();
      await Promise.all(all.map((pool) => pool.destroy()));
    },
  };
};
