import { join } from "node:path";
import type { Database } from "@parley/database";
import { startService, type MessagingService } from "@parley/service";
import type { ParleyConfig } from "../environment/config.ts";
import { keptAdminKey } from "../instance/keys.ts";

interface OwnService {
  readonly database: Database;
  readonly config: ParleyConfig;
  readonly port: number;
  readonly host: string;
  /** false: connections come from another process. */
  readonly listens: boolean;
  readonly log: (line: string) => void;
}

/** The service by the settings of the environment, in this process. @errors what listening on the port failed with */
export const openService = async ({ config, ...options }: OwnService): Promise<MessagingService> =>
  startService({
    ...options,
    adminKey: config.adminKey ?? (await keptAdminKey(config.dataFolder)),
    secretsFolder: config.dataFolder,
    objectsFolder: join(config.dataFolder, "objects"),
  });
