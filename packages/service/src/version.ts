import { readFileSync } from "node:fs";

const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
};

/** Of the package: `src/` and `dist/` lie equally deep. */
export const VERSION = version;
