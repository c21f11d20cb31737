import { setTimeout } from "node:timers/promises";
import {
  countSealed,
  countSecretsKeys,
  migrate,
  openSecretsKeyFile,
  openVault,
  sealAnew,
  SECRETS_KEY,
  SECRETS_KEY_FILE,
  type Connection,
  type Database,
  type SealedCounts,
  type SealedRows,
  type SecretsKeyFile,
} from "@parley/database";
import { APP_MIGRATIONS, APP_SCHEMA, sealedAppRows, storeDerivedTargets } from "@parley/framework";
import { sealedServiceRows, SERVICE_MIGRATIONS, SERVICE_SCHEMA } from "@parley/service";
import { realPorts } from "@parley/service/ports";
import { CommandFailure } from "../environment/failure.ts";
import { lockRotation } from "./store.ts";

interface SecretsOptions {
  readonly database: Database;
  readonly dataFolder: string;
  /** Value of PARLEY_SECRETS_KEY; undefined: the file of the data folder is used. */
  readonly secretsKey: string | undefined;
}

/** Keys of stored secrets, and the secrets that are sealed with them. */
interface SecretsStatus {
  /** `PARLEY_SECRETS_KEY`, or the path of the file. */
  readonly source: string;
  /** Number of keys; the first one seals. */
  readonly keys: number;
  readonly secrets: readonly SealedCounts[];
}

/** Result of a rotation. */
interface RotationResult {
  readonly source: string;
  /** Number of texts that were sealed anew. */
  readonly sealed: number;
  /** Whether an interrupted rotation was completed, with the key that it had created. */
  readonly isContinued: boolean;
  /** Number of texts that can't be opened with any of the keys. */
  readonly unreadable: number;
}

interface RotationOptions extends SecretsOptions {
  /** How long the earlier key is kept after everything is sealed anew. @units milliseconds */
  readonly settleMs: number;
  /** Rotates although texts can't be opened with any key; these stay as they are. */
  readonly skipsUnreadable: boolean;
  readonly progress: (line: string) => void;
}

const unreadableOf = (counts: readonly SealedCounts[]): number =>
  counts.reduce((sum, { unreadable }) => sum + unreadable, 0);

/** Opens a connection to the migrated schemas. The caller closes it. */
const connect = async (database: Database): Promise<{ connection: Connection; kinds: readonly SealedRows[] }> => {
  await migrate(database, SERVICE_SCHEMA, SERVICE_MIGRATIONS);
  await migrate(database, APP_SCHEMA, APP_MIGRATIONS);
  const connection = await database.connect(SERVICE_SCHEMA);
  return { connection, kinds: [...sealedServiceRows(connection), ...sealedAppRows(connection)] };
};

const openFile = async (dataFolder: string): Promise<SecretsKeyFile> => {
  const file = await openSecretsKeyFile(dataFolder, realPorts.random);
  if (file) return file;
  throw new CommandFailure(
    `${dataFolder} contains no ${SECRETS_KEY_FILE}: no secret was stored with a key of this folder. If the key was lost, restore it from a backup, or set ${SECRETS_KEY} if the other processes use it.`,
  );
};

/** Counts the secrets that are sealed with each key. @errors CommandFailure, SecretsKeyUnusable */
export async function secretsStatus({ database, dataFolder, secretsKey }: SecretsOptions): Promise<SecretsStatus> {
  const file = secretsKey === undefined ? await openFile(dataFolder) : undefined;
  const keys = file ? await file.count() : countSecretsKeys(secretsKey ?? "");
  const vault = await openVault(dataFolder, realPorts.random, secretsKey);
  const { connection, kinds } = await connect(database);
  try {
    return { source: file?.path ?? SECRETS_KEY, keys, secrets: await countSealed(vault, kinds) };
  } finally {
    await connection.close();
  }
}

const failUnreadable = (counts: readonly SealedCounts[]): never => {
  const list = counts.filter(({ unreadable }) => unreadable > 0).map(({ name, unreadable }) => `${unreadable} ${name}`);
  throw new CommandFailure(
    `These secrets can't be opened with any of the keys: ${list.join(", ")}. Nothing was changed. Put the key that they were sealed with after the others, or leave them as they are with --skip-unreadable.`,
  );
};

/**
 * Seals everything anew with another key while processes run, and removes the earlier keys. A rotation that was killed is completed by the
 * next rotation; every text can be opened at each moment.
 *
 * Steps: a new key is added before the earlier keys → everything is sealed with it → after a pause, secrets that were sealed with an earlier key
 * meanwhile are sealed anew → the earlier keys are removed. Processes read the file of the keys before they seal, and when they can't open a text.
 * The pause is longer than any request: a text that was sealed before the key was added is stored by then.
 * @errors CommandFailure, SecretsKeyUnusable
 */
export async function rotateSecrets(options: RotationOptions): Promise<RotationResult> {
  const { database, dataFolder, secretsKey, settleMs, skipsUnreadable, progress } = options;
  const file = secretsKey === undefined ? await openFile(dataFolder) : undefined;
  if (!file && countSecretsKeys(secretsKey ?? "") === 1)
    throw new CommandFailure(
      `${SECRETS_KEY} contains one key, so there is nothing to rotate to. Create a key with 'openssl rand -hex 32', and set the variable in this order, each time for all processes, which you restart: '<earlier>,<new>', then '<new>,<earlier>'. Then run this command with '<new>,<earlier>', and at last set '<new>' alone.`,
    );
  const { connection, kinds } = await connect(database);
  try {
    if (!(await lockRotation(connection)))
      throw new CommandFailure("Another rotation runs on this database. Wait until it has ended.");
    const vault = await openVault(dataFolder, realPorts.random, secretsKey);
    const before = await countSealed(vault, kinds);
    if (unreadableOf(before) > 0 && !skipsUnreadable) failUnreadable(before);
    const isContinued = file !== undefined && (await file.count()) > 1;
    if (file && !isContinued) {
      await file.addKey();
      progress("A new key was added; it seals from now on.");
    }
    const sealAll = async (): Promise<number> => {
      await storeDerivedTargets(connection, vault);
      return sealAnew(vault, kinds);
    };
    let sealed = await sealAll();
    progress(
      `${sealed} secrets were sealed anew. The earlier key stays for ${settleMs / 1_000} s, for requests that run.`,
    );
    await setTimeout(settleMs);
    sealed += await sealAll();
    const unreadable = unreadableOf(await countSealed(vault, kinds));
    await file?.removeEarlierKeys();
    return { source: file?.path ?? SECRETS_KEY, sealed, isContinued, unreadable };
  } finally {
    await connection.close();
  }
}
