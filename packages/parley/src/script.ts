import { fileURLToPath } from "node:url";

/** Script of the command. The relative path is the same from the source and from the bundle. */
export const PARLEY_SCRIPT = fileURLToPath(new URL("../bin/parley.mjs", import.meta.url));
