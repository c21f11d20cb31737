import { createCipheriv, createDecipheriv } from "node:crypto";
import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { secretsKey, SECRETS_KEY } from "../config.ts";
import type { Ports } from "../ports.ts";

/** Keeps secret text: what is sealed for one owner opens for that owner only. */
export interface Vault {
  seal(owner: string, text: string): string;
  /** @errors when the key is another, or the text was changed or moved */
  open(owner: string, sealed: string): string;
}

const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
/** As NIST has it for GCM. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FILE = "secrets-key";

/** AES-256-GCM; a sealed text is its nonce, tag and cipher text, in base64. */
export const vault = (key: Buffer, random: Ports["random"]): Vault => ({
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
});

const keyFrom = (text: string, where: string): Buffer => {
  if (!/^[0-9a-f]{64}$/i.test(text.trim()))
    throw new Error(`${where} must hold 64 hex digits, the key of secure parameters.`);
  return Buffer.from(text.trim(), "hex");
};

/** Two hosts that start at once agree on the key of the one that made the file. */
async function keyInFile(path: string, random: Ports["random"]): Promise<Buffer> {
  try {
    const file = await open(path, "wx", 0o600);
    const key = random(KEY_BYTES);
    await file.writeFile(`${key.toString("hex")}\n`);
    await file.sync();
    await file.close();
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return keyFrom(await readFile(path, "utf8"), path);
  }
}

/** The vault whose key is in the environment, else in a file of the data folder that only its owner may read. */
export async function openVault(dataFolder: string, random: Ports["random"], given = secretsKey()): Promise<Vault> {
  const key = given === undefined ? await keyInFile(join(dataFolder, FILE), random) : keyFrom(given, SECRETS_KEY);
  return vault(key, random);
}
