import { join } from "node:path";
import { serviceConfig } from "@parley/service/config";

/** Where uploads and reports lie, as a start has it. */
export const objectsFolderOf = (dataFolder: string): string =>
  serviceConfig().objectsFolder ?? join(dataFolder, "objects");
