import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import { link, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

/** Cryptographically secure random bytes. */
type Random = (count: number) => Buffer;

/** Encrypts texts. A text that is sealed for one owner can be opened for that owner only. */
export interface Vault {
  seal(owner: string, text: string): string;
  /** @errors Error if the key is another one, or the text was modified or belongs to another owner */
  open(owner: string, sealed: string): string;
  /** Derives a secret per purpose, always the same, from which the key can't be computed. */
  derive(purpose: string): Buffer;
}

/** Setting that contains the key in place of a file. */
export const SECRETS_KEY = "PARLEY_SECRETS_KEY";

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
/** Recommended by NIST SP 800-38D for GCM. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FILE = "secrets-key";

/** AES-256-GCM. A sealed text is the base64 of nonce, tag and ciphertext. */
export const vault = (key: Buffer, random: Random): Vault => ({
  seal(owner, text) {
    const nonce = random(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(owner));
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64");
  },
  open(owner, sealed) {
    const bytes = Buffer.from(sealed, "base64");
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(owner));
    decipher.setAuthTag(tag);
    const text = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
    return Buffer.concat(text).toString("utf8");
  },
  derive: (purpose) => createHmac("sha256", key).update(purpose).digest(),
});

/** The key is malformed. */
export class SecretsKeyUnusable extends Error {
  override readonly name = "SecretsKeyUnusable";
}

const keyFrom = (text: string, where: string): Buffer => {
  if (!/^[0-9a-f]{64}$/i.test(text.trim()))
    throw new SecretsKeyUnusable(
      `${where} must hold 64 hex digits, the key of what is kept secret. Put the right key there.`,
    );
  return Buffer.from(text.trim(), "hex");
};

/** Creates the file atomically, since a start can be killed at any moment; of two concurrent starts both use the first one's key. */
async function keyInFile(path: string, random: Random): Promise<Buffer> {
  const draft = `${path}.${random(6).toString("hex")}`;
  try {
    return keyFrom(await readFile(path, "utf8"), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  try {
    const file = await open(draft, "wx", 0o600);
    await file.writeFile(`${random(KEY_BYTES).toString("hex")}\n`);
    await file.sync();
    await file.close();
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return keyFrom(await readFile(path, "utf8"), path);
}

/**
 * Opens a vault with the given key, or with the key in a file of the folder that only its owner may read.
 * @shape given: value of the setting
 * @errors SecretsKeyUnusable
 */
export async function openVault(folder: string, random: Random, keyText: string | undefined): Promise<Vault> {
  const key = keyText === undefined ? await keyInFile(join(folder, FILE), random) : keyFrom(keyText, SECRETS_KEY);
  return vault(key, random);
}
