import { fileURLToPath } from "node:url";

/** Folder of the built console: `index.html`, and hashed files below `assets/`. The build creates it. */
export const CONSOLE_FOLDER = fileURLToPath(new URL("../dist/app", import.meta.url));
