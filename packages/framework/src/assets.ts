import { fileURLToPath } from "node:url";

/** A file of this package, by its path from the package's folder: `src/x.ts` and `dist/x.js` are equally deep. */
export const packageFile = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
