import { createPrivateKey, createPublicKey, generateKeyPair, sign, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import type { WebhookKey } from "@parley/contract";
import { createSemaphore, UNBOUNDED_WAIT, type Pool, type Vault, type Transaction } from "@parley/database";
import { singleFlight } from "../../base/concurrency/keyed-mutex.ts";
import type { Ports } from "../../base/environment/ports.ts";
import { webhookStore, type KeyRow } from "./store.ts";

/** A signing function and the id of its key. */
export interface WebhookSigner {
  readonly keyId: string;
  /** RSASSA-PKCS1-v1_5 with SHA-256 over the bytes of the text, in base64. It takes a millisecond and runs outside of the event loop. */
  readonly sign: (text: string) => Promise<string>;
}

/** Called in the transaction that adds a key pair. */
type KeyAdded = (tx: Transaction, keyId: string) => Promise<void>;

/** An account's key pairs. */
export interface WebhookKeys {
  readonly list: (accountId: number) => Promise<WebhookKey[]>;
  /** Creates the first key pair of an account without key pairs. -> the public key of the pair that signs */
  readonly ensure: (accountId: number) => Promise<string>;
  /**
   * Creates another key pair, which signs after the overlap. When a pair waits already, that pair stays the next, unless the new pair
   * must sign at once. @units milliseconds
   */
  readonly rotate: (accountId: number, overlapMs: number, added: KeyAdded) => Promise<WebhookKey[]>;
  /** -> undefined for an account without keys */
  readonly signer: (accountId: number) => Promise<WebhookSigner | undefined>;
}

interface WebhookKeysDeps {
  readonly pool: Pool;
  readonly ports: Pick<Ports, "now" | "monotonicMs" | "newId">;
  readonly vault: () => Promise<Vault>;
  /** How long a key that no longer signs is listed. @units milliseconds */
  readonly listedMs: number;
}

const KEY_BITS = 2048;
/** Accounts whose keys are read at the same time. */
const CONCURRENT_READS_MAX = 2;
/** How long another process may sign with a key that was replaced at once. @units milliseconds */
const CACHE_TTL_MS = 1_000;

const makePair = promisify(generateKeyPair);
const signBeside = promisify(sign) as (algorithm: string, data: Buffer, key: KeyObject) => Promise<Buffer>;

/** Encryption context of a private key. */
export const webhookKeyOwner = (keyId: string): string => `webhook key ${keyId}`;

/** Index of the key that signs: the latest whose time has come, else the first. */
const activeIndex = (keys: readonly KeyRow[], now: Date): number =>
  Math.max(
    keys.findLastIndex(({ signs_time }) => signs_time <= now),
    0,
  );

/** The formats in which receivers' libraries accept the key. */
const formsOf = (pem: string): Pick<WebhookKey, "public_key" | "public_key_base64" | "public_key_pkcs1"> => {
  const key = createPublicKey(pem);
  return {
    public_key: pem,
    public_key_base64: key.export({ type: "spki", format: "der" }).toString("base64"),
    public_key_pkcs1: key.export({ type: "pkcs1", format: "pem" }).toString(),
  };
};

const listed = (keys: readonly KeyRow[], now: Date): WebhookKey[] => {
  const active = activeIndex(keys, now);
  return keys.map(({ id, public_key, signs_time }, index) => ({
    id,
    ...formsOf(public_key),
    state: index === active ? "active" : index > active ? "next" : "retired",
    signs_from: signs_time.toISOString(),
  }));
};

export const webhookKeys = ({
  pool,
  ports: { now, monotonicMs, newId },
  vault,
  listedMs,
}: WebhookKeysDeps): WebhookKeys => {
  const stored = webhookStore(pool);
  const cachedKeys = new Map<number, { readonly keys: readonly KeyRow[]; readonly until: number }>();
  const opened = new Map<string, KeyObject>();
  // The events of many webhooks are signed at the same time.
  const reads = createSemaphore({ max: CONCURRENT_READS_MAX, ...UNBOUNDED_WAIT });
  const readKeys = singleFlight((accountId: number) => reads.run(() => stored.keys(accountId)));

  const createKey = async (account_id: number, signs_time: Date): Promise<KeyRow> => {
    const pair = await makePair("rsa", {
      modulusLength: KEY_BITS,
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    const id = newId();
    const private_key = (await vault()).seal(webhookKeyOwner(id), pair.privateKey);
    return { id, account_id, public_key: pair.publicKey, private_key, signs_time };
  };

  /** The pair is generated before the lock is taken, so that no other request waits for it. */
  const add = async (
    accountId: number,
    key: KeyRow,
    decide: (keys: readonly KeyRow[]) => { readonly adds: boolean; readonly removes: readonly KeyRow[] },
    added?: KeyAdded,
  ): Promise<readonly KeyRow[]> => {
    const change = async (tx: Transaction) => {
      const store = webhookStore(tx);
      await store.lock(accountId);
      const { adds, removes } = decide(await store.keys(accountId));
      if (removes.length > 0) await store.removeKeys(removes.map(({ id }) => id));
      if (adds) {
        await store.addKey(key);
        await added?.(tx, key.id);
      }
      return store.keys(accountId);
    };
    const keys = await pool.transaction(change);
    cachedKeys.delete(accountId);
    return keys;
  };

  const recent = async (accountId: number): Promise<readonly KeyRow[]> => {
    const cached = cachedKeys.get(accountId);
    if (cached && cached.until > monotonicMs()) return cached.keys;
    const keys = await readKeys(accountId);
    cachedKeys.set(accountId, { keys, until: monotonicMs() + CACHE_TTL_MS });
    return keys;
  };

  const open = async ({ id, private_key }: KeyRow): Promise<KeyObject> => {
    const cached = opened.get(id);
    if (cached) return cached;
    const key = createPrivateKey((await vault()).open(webhookKeyOwner(id), private_key));
    opened.set(id, key);
    return key;
  };

  return {
    list: async (accountId) => listed(await stored.keys(accountId), now()),
    async ensure(accountId) {
      let keys: readonly KeyRow[] = await stored.keys(accountId);
      if (keys.length === 0) {
        const first = await createKey(accountId, now());
        keys = await add(accountId, first, (others) => ({ adds: others.length === 0, removes: [] }));
      }
      return keys[activeIndex(keys, now())]?.public_key ?? "";
    },
    async rotate(accountId, overlapMs, added) {
      const isFirst = (keys: readonly KeyRow[]) => keys.length === 0;
      const startedAt = now();
      const storedKeys = await stored.keys(accountId);
      const waits = storedKeys.some(({ signs_time }) => signs_time > startedAt);
      if (waits && overlapMs > 0) return listed(storedKeys, startedAt);
      const from = isFirst(storedKeys) ? startedAt : new Date(startedAt.getTime() + overlapMs);
      const decide = (present: readonly KeyRow[]) => {
        const active = activeIndex(present, startedAt);
        const next = present.slice(active + 1);
        const replaced = (present[active]?.signs_time.getTime() ?? 0) + listedMs <= startedAt.getTime();
        const replacedKeys = replaced ? present.slice(0, active) : [];
        return {
          adds: overlapMs === 0 || next.length === 0,
          removes: overlapMs === 0 ? [...replacedKeys, ...next] : replacedKeys,
        };
      };
      const keys = await add(accountId, await createKey(accountId, from), decide, added);
      return listed(keys, now());
    },
    async signer(accountId) {
      const keys = await recent(accountId);
      const key = keys[activeIndex(keys, now())];
      if (!key) return undefined;
      const privateKey = await open(key);
      return {
        keyId: key.id,
        sign: async (text) => (await signBeside("RSA-SHA256", Buffer.from(text), privateKey)).toString("base64"),
      };
    },
  };
};
