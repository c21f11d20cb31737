import { fileURLToPath } from "node:url";

/** Folder of the built panel: `index.html`, and hashed files below `assets/`. The build creates it. */
export const PANEL_FOLDER = fileURLToPath(new URL("../dist/app", import.meta.url));

/** The built script that sites embed. */
export const WIDGET_FILE = fileURLToPath(new URL("../dist/widget.js", import.meta.url));
