import { gather } from "@parley/database";
import type { Permission } from "@parley/contract";
import { accountOfRow } from "../accounts/store.ts";
import type { ApiCaller } from "../http/route-handlers.ts";
import type { Ports } from "../environment/ports.ts";
import { hashOf, isTokenShaped, type ApiTokenRow, type ApiTokenStore } from "./store.ts";

/** Lifetime of a cached token, and thus the maximum delay of a revocation. @units milliseconds */
const CACHE_TTL_MS = 900;
/** Maximum cached tokens. Beyond it the oldest are evicted. */
const MAX_CACHED_TOKENS = 10_000;

interface CachedToken {
  readonly found: Promise<ApiCaller | undefined>;
  /** Set once the token is found, so that later calls need no promise. */
  caller?: ApiCaller;
  /** @units epoch ms */
  expiresMs: number;
  /** @units milliseconds of the monotonic clock, which tests don't move */
  readonly cachedUntilMs: number;
}

const callerOf = (row: ApiTokenRow): ApiCaller => ({
  account: accountOfRow({ ...row, id: row.account_id }),
  tokenId: row.id,
  permissions: new Set<Permission>(row.permissions),
});

/** Finds the caller of a token. A token is looked up about once a second, regardless of its number of calls. */
export function createFindCaller({ store, now }: { store: Pick<ApiTokenStore, "find"> } & Pick<Ports, "now">) {
  const cache = new Map<string, CachedToken>();
  const lookUp = gather<Buffer, ApiTokenRow | undefined>({
    run: async (hashes) => {
      const rows = await store.find(hashes);
      return hashes.map((hash) => rows.find((row) => row.hash.equals(hash)));
    },
  });

  const lookUpAndCache = (token: string): CachedToken => {
    for (const oldest of cache.keys()) {
      if (cache.size < MAX_CACHED_TOKENS) break;
      cache.delete(oldest);
    }
    const found = lookUp(hashOf(token)).then((row) => {
      if (!row) return undefined;
      entry.expiresMs = row.expires_time.getTime();
      return (entry.caller = callerOf(row));
    });
    const entry: CachedToken = { found, expiresMs: Infinity, cachedUntilMs: performance.now() + CACHE_TTL_MS };
    // Moved to the end, so that the map is in order of age.
    cache.delete(token);
    cache.set(token, entry);
    const evict = () => {
      if (cache.get(token) === entry) cache.delete(token);
    };
    // Unknown tokens are not cached: invalid requests must not evict valid tokens.
    found.then((caller) => caller ?? evict(), evict);
    return entry;
  };

  /** -> undefined for a malformed, unknown, expired or revoked token; a promise only if the token must be looked up */
  return (token: string): ApiCaller | undefined | Promise<ApiCaller | undefined> => {
    if (!isTokenShaped(token)) return undefined;
    const cached = cache.get(token);
    const entry = cached && cached.cachedUntilMs > performance.now() ? cached : lookUpAndCache(token);
    const valid = (caller: ApiCaller | undefined) => (entry.expiresMs > now().getTime() ? caller : undefined);
    return entry.caller ? valid(entry.caller) : entry.found.then(valid);
  };
}
export type FindCaller = ReturnType<typeof createFindCaller>;
