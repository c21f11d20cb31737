import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import { link, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";

/** Bytes that nobody can guess. */
type Random = (count: number) => Buffer;

/** Keeps secret text: what is sealed for one owner opens for that owner only. */
export interface Vault {
  seal(owner: string, text: string): string;
  /** @errors when the key is another, or the text was changed or moved */
  open(owner: string, sealed: string): string;
  /** A secret that is always the same for one purpose, and says nothing of the key. */
  derive(purpose: string): Buffer;
}

/** The setting that holds the key in place of a file. */
export const SECRETS_KEY = "PARLEY_SECRETS_KEY";

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
/** As NIST has it for GCM. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FILE = "secrets-key";

/** AES-256-GCM; a sealed text is its nonce, tag and cipher text, in base64. */
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

/** The key is none. */
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

/** Made whole or not at all, since a start may be killed at any moment; two that start at once agree on the first one's. */
async function keyInFile(path: string, random: Random): Promise<Buffer> {
  const fresh = `${path}.${random(6).toString("hex")}`;
  try {
    return keyFrom(await readFile(path, "utf8"), path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  try {
    const file = await open(fresh, "wx", 0o600);
    await file.writeFile(`${random(KEY_BYTES).toString("hex")}\n`);
    await file.sync();
    await file.close();
    await link(fresh, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(fresh, { force: true });
  }
  return keyFrom(await readFile(path, "utf8"), path);
}

/**
 * The vault whose key is given, else in a file of the folder that only its owner may read.
 * @shape given: the text of the setting
 * @errors SecretsKeyUnusable
 */
export async function openVault(folder: string, random: Random, given: string | undefined): Promise<Vault> {
  const key = given === undefined ? await keyInFile(join(folder, FILE), random) : keyFrom(given, SECRETS_KEY);
  return vault(key, random);
}
