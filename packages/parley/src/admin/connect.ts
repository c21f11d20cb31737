import { join } from "node:path";
import { admin, worldEndpoints } from "@parley/contract";
import { parleyConfig } from "../environment/config.ts";
import { CommandFailure } from "../environment/failure.ts";
import { readSecret } from "../instance/data-folder.ts";
import { findInstance, type FoundInstance } from "../instance/instance.ts";
import { ADMIN_KEY } from "../instance/keys.ts";
import { createAdminCalls, type AdminCalls } from "./calls.ts";

/** A running instance with clients that are authenticated by its admin key. */
export interface AdminConnection {
  readonly instance: FoundInstance;
  /** Origin of the service, without the version segment. */
  readonly origin: string;
  readonly calls: AdminCalls<typeof admin>;
  /** Endpoints that only a local instance serves: clock, faults, snapshots and seed. */
  readonly world: AdminCalls<typeof worldEndpoints>;
}

export const adminKeyOf = async (folder: string): Promise<string> => {
  const { adminKey } = parleyConfig();
  if (adminKey !== undefined) return adminKey;
  const path = join(folder, ADMIN_KEY);
  const key = await readSecret(folder, ADMIN_KEY).catch((error: unknown) => {
    const reason = (error as NodeJS.ErrnoException).code ?? "error";
    throw new CommandFailure(
      `The admin key ${path} can't be read (${reason}). Run the command as the user who started the instance.`,
    );
  });
  if (key !== undefined) return key;
  throw new CommandFailure(`The admin key ${path} is missing. Restart the instance: it creates a new one.`);
};

/** Finds the instance that runs on the data folder, and its admin key. @errors CommandFailure */
export async function connectAdmin(): Promise<AdminConnection> {
  const { dataFolder } = parleyConfig();
  const instance = await findInstance(dataFolder);
  if (!instance)
    throw new CommandFailure(
      `No instance runs on ${dataFolder}. Start one with 'npm start', or set PARLEY_DATA to the data folder of a running one.`,
    );
  const { origin } = new URL(instance.service);
  const key = await adminKeyOf(instance.folder);
  return {
    instance,
    origin,
    calls: createAdminCalls(admin, origin, key),
    world: createAdminCalls(worldEndpoints, origin, key),
  };
}
