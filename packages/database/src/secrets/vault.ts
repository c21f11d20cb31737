import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";

/** Cryptographically secure random bytes. */
export type SecureRandom = (count: number) => Buffer;

/** The keys of stored secrets: the first one seals. There is at least one. */
export interface SecretsKeys {
  /** The keys that were read last. */
  known(): readonly Buffer[];
  /** The keys now; the same array as before if they are unchanged. @errors SecretsKeyUnusable */
  current(): readonly Buffer[];
}

/** Encrypts texts. A text that is sealed for one owner can be opened for that owner only. */
export interface Vault {
  /** Encrypts with the first key. @errors SecretsKeyUnusable if the file of the keys was changed and can't be read */
  seal(owner: string, text: string): string;
  /** @errors Error if the key is another key, or the text was modified or belongs to another owner */
  open(owner: string, sealed: string): string;
  /** Whether a text is sealed with the first key. @errors as `open` */
  isSealedWithFirst(owner: string, sealed: string): boolean;
  /** Derives a secret per purpose from the first key, from which the key can't be computed. It changes when the key is rotated. */
  derive(purpose: string): Buffer;
  /** The secrets that are derived from all keys, that of the first key first: for checks of values that were handed out before a rotation. */
  deriveAll(purpose: string): readonly Buffer[];
}

const CIPHER = "aes-256-gcm";
/** Recommended by NIST SP 800-38D for GCM. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** @errors Error of the cipher if the key is another key, or the text was modified or belongs to another owner */
const openWith = (key: Buffer, owner: string, sealed: string): string => {
  const bytes = Buffer.from(sealed, "base64");
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(owner));
  decipher.setAuthTag(tag);
  const text = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
  return Buffer.concat(text).toString("utf8");
};

const deriveWith = (key: Buffer, purpose: string): Buffer => createHmac("sha256", key).update(purpose).digest();

interface OpenedText {
  readonly text: string;
  readonly key: Buffer;
}

/** AES-256-GCM with several keys: the first one seals, each of them opens. A sealed text is the base64 of nonce, tag and ciphertext. */
export const vaultOf = (keys: SecretsKeys, random: SecureRandom): Vault => {
  const openAny = (owner: string, sealed: string): OpenedText => {
    let failure: unknown;
    const known = keys.known();
    const attempt = (candidates: readonly Buffer[]): OpenedText | undefined => {
      for (const key of candidates)
        try {
          return { text: openWith(key, owner, sealed), key };
        } catch (error) {
          failure = error;
        }
      return undefined;
    };
    const opened = attempt(known);
    if (opened) return opened;
    // Another process may have sealed the text with a new key.
    const current = keys.current();
    const reopened = current === known ? undefined : attempt(current);
    if (reopened) return reopened;
    throw failure;
  };
  const firstKey = (): Buffer => keys.current()[0] as Buffer;

  return {
    seal(owner, text) {
      const nonce = random(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, firstKey(), nonce).setAAD(Buffer.from(owner));
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64");
    },
    open: (owner, sealed) => openAny(owner, sealed).text,
    isSealedWithFirst: (owner, sealed) => openAny(owner, sealed).key.equals(firstKey()),
    derive: (purpose) => deriveWith(firstKey(), purpose),
    deriveAll: (purpose) => keys.current().map((key) => deriveWith(key, purpose)),
  };
};

/** A vault with one key that never changes. */
export const vault = (key: Buffer, random: SecureRandom): Vault => {
  const keys = [key];
  return vaultOf({ known: () => keys, current: () => keys }, random);
};
