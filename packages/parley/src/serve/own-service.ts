import { join } from "node:path";
import type { Database } from "@parley/database";
import { startService, type MessagingService } from "@parley/service";
import type { ParleyConfig } from "../environment/config.ts";
import { ensureAdminKey } from "../instance/keys.ts";

interface OwnService {
  readonly database: Database;
  readonly config: ParleyConfig;
  readonly port: number;
  readonly host: string;
  /** false: connections are passed on by another process. */
  readonly listens: boolean;
  readonly log: (line: string) => void;
}

/** Starts the service in this process, with the settings of the environment. @errors errors of listening on the port */
export const openService = async ({ config, ...options }: OwnService): Promise<MessagingService> =>
  startService({
    ...options,
    adminKey: config.adminKey ?? (await ensureAdminKey(config.dataFolder)),
    secretsFolder: config.dataFolder,
    objectsFolder: join(config.dataFolder, "objects"),
  });
