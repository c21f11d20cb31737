import { gather } from "@parley/database";
import type { Permission } from "@parley/contract";
import { accountOfRow } from "../accounts/store.ts";
import type { ApiCaller } from "../http/route-handlers.ts";
import type { Ports } from "../environment/ports.ts";
import { hashOf, isTokenShaped } from "./token-hash.ts";
import type { ApiTokenRow, ApiTokenStore } from "./store.ts";

/** Lifetime of a cached token, and thus the maximum delay of a revocation. @units milliseconds */
const LIFE = 900;
/** Maximum cached tokens. Beyond it the oldest are evicted. */
const MOST = 10_000;

interface Kept {
  readonly found: Promise<ApiCaller | undefined>;
  /** Set once the token is found, so that later calls need no promise. */
  caller?: ApiCaller;
  /** @units epoch ms */
  expires: number;
  /** @units milliseconds of the monotonic clock, which tests don't move */
  readonly until: number;
}

const callerOf = (row: ApiTokenRow): ApiCaller => ({
  account: accountOfRow({ ...row, id: row.account_id }),
  tokenId: row.id,
  permissions: new Set<Permission>(row.permissions),
});

/** Finds the caller of a token. A token is looked up about once a second, regardless of its number of calls. */
export function createFindCaller({ store, now }: { store: Pick<ApiTokenStore, "find"> } & Pick<Ports, "now">) {
  const kept = new Map<string, Kept>();
  const lookUp = gather<Buffer, ApiTokenRow | undefined>({
    run: async (hashes) => {
      const rows = await store.find(hashes);
      return hashes.map((hash) => rows.find((row) => row.hash.equals(hash)));
    },
  });

  const keep = (token: string): Kept => {
    for (const oldest of kept.keys()) {
      if (kept.size < MOST) break;
      kept.delete(oldest);
    }
    const found = lookUp(hashOf(token)).then((row) => {
      if (!row) return undefined;
      entry.expires = row.expires_time.getTime();
      return (entry.caller = callerOf(row));
    });
    const entry: Kept = { found, expires: Infinity, until: performance.now() + LIFE };
    // Moved to the end, so that the map is in order of age.
    kept.delete(token);
    kept.set(token, entry);
    const forget = () => {
      if (kept.get(token) === entry) kept.delete(token);
    };
    // Unknown tokens are not cached: invalid requests must not evict valid tokens.
    found.then((caller) => caller ?? forget(), forget);
    return entry;
  };

  /** -> undefined for a malformed, unknown, expired or revoked token; a promise only if the token must be looked up */
  return (token: string): ApiCaller | undefined | Promise<ApiCaller | undefined> => {
    if (!isTokenShaped(token)) return undefined;
    const present = kept.get(token);
    const entry = present && present.until > performance.now() ? present : keep(token);
    const valid = (caller: ApiCaller | undefined) => (entry.expires > now().getTime() ? caller : undefined);
    return entry.caller ? valid(entry.caller) : entry.found.then(valid);
  };
}
export type FindCaller = ReturnType<typeof createFindCaller>;
