import { join } from "node:path";
import { admin, world } from "@parley/contract";
import { parleyConfig } from "../config.ts";
import { UsageFailure } from "../failure.ts";
import { readSecret } from "../start/data-folder.ts";
import { findInstance, type FoundInstance } from "../start/instance.ts";
import { ADMIN_KEY } from "../start/keys.ts";
import { callsOf, type CallsOf } from "./calls.ts";

/** A running instance, and its owner's hand. */
export interface Office {
  readonly instance: FoundInstance;
  /** Without the version segment. */
  readonly origin: string;
  readonly calls: CallsOf<typeof admin>;
  /** What only a local instance has. */
  readonly world: CallsOf<typeof world>;
}

export const keyOf = async (folder: string): Promise<string> => {
  const { adminKey } = parleyConfig();
  if (adminKey !== undefined) return adminKey;
  const path = join(folder, ADMIN_KEY);
  const key = await readSecret(folder, ADMIN_KEY).catch((error: unknown) => {
    const reason = (error as NodeJS.ErrnoException).code ?? "error";
    throw new UsageFailure(
      `The admin key ${path} can't be read (${reason}). Give the command as the user who started the instance.`,
    );
  });
  if (key !== undefined) return key;
  throw new UsageFailure(`The admin key ${path} is missing. Restart the instance: it makes another one.`);
};

/** Finds the instance that runs on the data folder, and its admin key. @errors UsageFailure */
export async function connectAdmin(): Promise<Office> {
  const { dataFolder } = parleyConfig();
  const instance = await findInstance(dataFolder);
  if (!instance)
    throw new UsageFailure(
      `No instance runs on ${dataFolder}. Start one with 'npm start', or set PARLEY_DATA to the folder of another.`,
    );
  const { origin } = new URL(instance.service);
  const key = await keyOf(instance.folder);
  return { instance, origin, calls: callsOf(admin, origin, key), world: callsOf(world, origin, key) };
}
