import { fileURLToPath } from "node:url";

/** Folder of the built console: `index.html`, and hashed files below `assets/`. The build creates it. */
export const CONSOLE_FOLDER = fileURLToPath(new URL("../dist/app", import.meta.url));
/** Folder of the built pages of the sign-in: `sign-in.html`, and hashed files below `assets/`. */
export const SIGN_IN_FOLDER = fileURLToPath(new URL("../dist/sign-in", import.meta.url));
