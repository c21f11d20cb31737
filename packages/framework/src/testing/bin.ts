import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { testingConfig } from "./config.ts";

/** The command as npm links it, in a folder or one above it. */
const linkedFrom = (folder: string): string | undefined => {
  const link = join(folder, "node_modules", ".bin", "parley");
  if (existsSync(link)) return link;
  const above = dirname(folder);
  return above === folder ? undefined : linkedFrom(above);
};

/** The file that the command `parley` starts with. @errors Error that says what to do */
export const findBin = (folder: string): string => {
  const found = testingConfig().bin ?? linkedFrom(folder) ?? linkedFrom(process.cwd());
  if (found !== undefined) return found;
  throw new Error(
    `The command 'parley' is not found from ${folder}. Run the tests with 'parley test', install it beside the app, or set PARLEY_BIN to its bin/parley.mjs.`,
  );
};
