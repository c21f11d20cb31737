import { readFileSync, statSync } from "node:fs";
import { chmod, chown, link, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { vaultOf, type SecretsKeys, type SecureRandom, type Vault } from "./vault.ts";

/** Setting that contains the keys in place of a file. */
export const SECRETS_KEY = "PARLEY_SECRETS_KEY";
/** Name of the file of the keys in the data folder. */
export const SECRETS_KEY_FILE = "secrets-key";

const KEY_BYTES = 32;

/** The key is malformed or can't be read. */
export class SecretsKeyUnusable extends Error {
  override readonly name = "SecretsKeyUnusable";
}

/** Parses keys that are separated by commas or white space. @errors SecretsKeyUnusable */
const keysFrom = (text: string, where: string): readonly Buffer[] => {
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  if (words.length === 0 || !words.every((word) => /^[0-9a-f]{64}$/i.test(word)))
    throw new SecretsKeyUnusable(
      `${where} must hold 64 hex digits, the key of stored secrets, or several such keys of which the first seals. Put the right key there.`,
    );
  return [...new Set(words.map((word) => word.toLowerCase()))].map((word) => Buffer.from(word, "hex"));
};

const unreadable = (path: string, error: unknown): SecretsKeyUnusable =>
  new SecretsKeyUnusable(
    `The key of stored secrets in ${path} can't be read (${(error as NodeJS.ErrnoException).code ?? "error"}). Restore the file, or let this user read it.`,
  );

/** Keys in a file that another process may replace. */
const keysInFile = (path: string): SecretsKeys => {
  // Taken before the content is read, so that a change in between is noticed by the next call.
  const stateOf = (): string => {
    const { ino, mtimeNs, size } = statSync(path, { bigint: true });
    return `${ino}/${mtimeNs}/${size}`;
  };
  const read = () => {
    try {
      const state = stateOf();
      return { state, text: readFileSync(path, "utf8") };
    } catch (error) {
      throw unreadable(path, error);
    }
  };
  const first = read();
  let [state, text, keys] = [first.state, first.text, keysFrom(first.text, path)];
  return {
    known: () => keys,
    current() {
      let isUnchanged: boolean;
      try {
        isUnchanged = stateOf() === state;
      } catch (error) {
        throw unreadable(path, error);
      }
      if (isUnchanged) return keys;
      const next = read();
      if (next.text !== text) [text, keys] = [next.text, keysFrom(next.text, path)];
      state = next.state;
      return keys;
    },
  };
};

/** Creates a draft of the file next to it, and removes it if `publish` has not moved it. */
const withDraft = async (
  path: string,
  content: string,
  random: SecureRandom,
  publish: (draft: string) => Promise<void>,
): Promise<void> => {
  const draft = `${path}.${random(6).toString("hex")}`;
  try {
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await publish(draft);
  } finally {
    await rm(draft, { force: true });
  }
};

/** Creates the file atomically, since a start can be killed at any moment; of two concurrent starts both use the first one's key. */
async function ensureFile(path: string, random: SecureRandom): Promise<void> {
  try {
    await stat(path);
    return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw unreadable(path, error);
  }
  try {
    await withDraft(path, `${random(KEY_BYTES).toString("hex")}\n`, random, (draft) => link(draft, path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/**
 * Opens a vault with the given keys, or with the keys in a file of the folder that only its owner may read.
 * @shape keyText: value of the setting
 * @errors SecretsKeyUnusable
 */
export async function openVault(folder: string, random: SecureRandom, keyText: string | undefined): Promise<Vault> {
  if (keyText !== undefined) {
    const keys = keysFrom(keyText, SECRETS_KEY);
    return vaultOf({ known: () => keys, current: () => keys }, random);
  }
  const path = join(folder, SECRETS_KEY_FILE);
  await ensureFile(path, random);
  return vaultOf(keysInFile(path), random);
}

/** Number of keys of a setting. @errors SecretsKeyUnusable */
export const countSecretsKeys = (keyText: string): number => keysFrom(keyText, SECRETS_KEY).length;

/** The file of the keys, for a rotation. Each change replaces the whole file atomically. */
export interface SecretsKeyFile {
  readonly path: string;
  /** Number of keys. @errors SecretsKeyUnusable */
  count(): Promise<number>;
  /** Puts a new key before the others: it seals from now on. @errors SecretsKeyUnusable, errors of the file system */
  addKey(): Promise<void>;
  /** Removes all keys but the first. @errors SecretsKeyUnusable, errors of the file system */
  removeEarlierKeys(): Promise<void>;
}

/** -> undefined if there is no file */
export async function openSecretsKeyFile(folder: string, random: SecureRandom): Promise<SecretsKeyFile | undefined> {
  const named = join(folder, SECRETS_KEY_FILE);
  let path: string;
  try {
    // The file may be a link: the file that it names is replaced.
    path = await realpath(named);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw unreadable(named, error);
  }
  const read = async (): Promise<readonly string[]> => {
    const text = await readFile(path, "utf8").catch((error: unknown) => {
      throw unreadable(path, error);
    });
    return keysFrom(text, path).map((key) => key.toString("hex"));
  };
  const replace = (keys: readonly string[]) =>
    withDraft(path, `${keys.join("\n")}\n`, random, async (draft) => {
      // The processes that read the file may run as its owner, not as the user of this command.
      const { uid, gid, mode } = await stat(path);
      const made = await stat(draft);
      if (made.uid !== uid || made.gid !== gid) await chown(draft, uid, gid);
      await chmod(draft, mode & 0o777);
      await rename(draft, path);
      const folderHandle = await open(dirname(path), "r");
      // Without effect on file systems that can't synchronise folders.
      await folderHandle.sync().catch(() => undefined);
      await folderHandle.close();
    });
  return {
    path,
    count: async () => (await read()).length,
    addKey: async () => replace([random(KEY_BYTES).toString("hex"), ...(await read())]),
    removeEarlierKeys: async () => replace((await read()).slice(0, 1)),
  };
}
