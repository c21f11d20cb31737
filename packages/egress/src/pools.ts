import type { LookupFunction } from "node:net";
import { createSecureContext, rootCertificates } from "node:tls";
import { Pool } from "undici";
import type { HostAddress } from "./address.ts";
import type { Way } from "./guard.ts";

/** Ways kept open at a time; past it the longest unused is closed once its requests are done. */
const MOST_WAYS = 256;

/** Connections kept alive, a pool for each way, so that one opened to some address never serves a request vetted for another. */
export interface Pools {
  to(way: Way): Pool;
  isOpen(): boolean;
  close(): Promise<void>;
}

/**
 * Answers the socket with what was vetted, whatever the name means by then.
 * A tick later: an answer on the spot can fail before anyone listens to the socket, and would end the process.
 */
const pinned =
  (addresses: readonly HostAddress[]): LookupFunction =>
  (_host, _options, callback) =>
    process.nextTick(callback, null, [...addresses]);

// Sorted, since resolvers turn their answers round.
const keyOf = ({ origin, addresses }: Way): string =>
  [origin, ...(addresses ?? []).map(({ address }) => address).sort()].join(" ");

export const pools = (ca: readonly string[] = []): Pools => {
  const byWay = new Map<string, Pool>();
  const secureContext = ca.length > 0 ? createSecureContext({ ca: [...rootCertificates, ...ca] }) : undefined;
  let open = true;

  // Named here so that no variable of the environment can turn the check of certificates off.
  const connect = { rejectUnauthorized: true, ...(secureContext && { secureContext }) };
  const dial = ({ origin, addresses }: Way): Pool =>
    // With the choice of a family on, the socket asks for all addresses and tries them in turn.
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
