import { gather } from "@parley/database";
import type { ApiCaller } from "../../../http/route-handlers.ts";
import type { Ports } from "../../../base/environment/ports.ts";
import { hashOf } from "./secrets.ts";

/** Lifetime of a cached credential, and thus the maximum delay of a revocation. @units milliseconds */
const CACHE_TTL_MS = 900;
/** Maximum cached credentials. Beyond it the oldest are evicted. */
const CACHED_CREDENTIALS_MAX = 10_000;

/** A stored credential, identified by the hash of its secret. */
interface CredentialRow {
  readonly hash: Buffer;
  readonly expires_time: Date;
}

interface CachedCredential<C> {
  readonly found: Promise<C | undefined>;
  /** Set once the credential is found, so that later calls need no promise. */
  caller?: C;
  /** @units epoch ms */
  expiresMs: number;
  /** @units milliseconds of the monotonic clock */
  readonly cachedUntilMs: number;
}

/** By which key a credential is looked up; absent: by the hash of its secret. */
interface CredentialKey<Row> {
  readonly ofText: (text: string) => Buffer;
  readonly ofRow: (row: Row) => Buffer;
}

interface CredentialCacheDeps<Row extends CredentialRow, C> extends Pick<Ports, "now" | "monotonicMs"> {
  /** Whether a text has the format of the secret. Other texts need no lookup. */
  readonly isShaped: (secret: string) => boolean;
  readonly key?: CredentialKey<Row>;
  readonly find: (keys: readonly Buffer[]) => Promise<readonly Row[]>;
  readonly callerOf: (row: Row) => C;
}

/** Finds the callers of secrets. A secret is looked up about once a second, regardless of its number of requests. */
export function createCredentialCache<Row extends CredentialRow, C = ApiCaller>({
  isShaped,
  key = { ofText: hashOf, ofRow: ({ hash }) => hash },
  find,
  callerOf,
  now,
  monotonicMs,
}: CredentialCacheDeps<Row, C>) {
  const cache = new Map<string, CachedCredential<C>>();
  const lookUp = gather<Buffer, Row | undefined>({
    name: "credentials",
    run: async (keys) => {
      const rows = await find(keys);
      return keys.map((each) => rows.find((row) => key.ofRow(row).equals(each)));
    },
  });

  const lookUpAndCache = (secret: string): CachedCredential<C> => {
    for (const oldest of cache.keys()) {
      if (cache.size < CACHED_CREDENTIALS_MAX) break;
      cache.delete(oldest);
    }
    const found = lookUp(key.ofText(secret)).then((row) => {
      if (!row) return undefined;
      entry.expiresMs = row.expires_time.getTime();
      return (entry.caller = callerOf(row));
    });
    const entry: CachedCredential<C> = {
      found,
      expiresMs: Infinity,
      cachedUntilMs: monotonicMs() + CACHE_TTL_MS,
    };
    // Moved to the end, so that the map is in order of age.
    cache.delete(secret);
    cache.set(secret, entry);
    const evict = () => {
      if (cache.get(secret) === entry) cache.delete(secret);
    };
    // Unknown secrets are not cached: invalid requests must not evict valid credentials.
    found.then((caller) => caller ?? evict(), evict);
    return entry;
  };

  return {
    /** -> undefined for a malformed, unknown, expired or revoked secret; a promise only if the secret must be looked up */
    find: (secret: string): C | undefined | Promise<C | undefined> => {
      if (!isShaped(secret)) return undefined;
      const cached = cache.get(secret);
      const entry = cached && cached.cachedUntilMs > monotonicMs() ? cached : lookUpAndCache(secret);
      const valid = (caller: C | undefined) => (entry.expiresMs > now().getTime() ? caller : undefined);
      return entry.caller ? valid(entry.caller) : entry.found.then(valid);
    },
    /** The next request looks the secret up again. Other processes forget them within a second. */
    forget: (secret: string): void => void cache.delete(secret),
  };
}
