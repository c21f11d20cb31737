import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** The source is in `src/environment/`; bundles are in a sibling folder of `src/`. */
const packageRoot = new URL(/\/src\/environment\/[^/]+$/.test(import.meta.url) ? "../../" : "../", import.meta.url);

const text = (path: string): Promise<string> => readFile(new URL(path, packageRoot), "utf8");

/** Path of a built program. */
export const builtFile = (name: string): string => fileURLToPath(new URL(`dist/${name}`, packageRoot));

/** The package's package.json, which Node reads when a built program in CommonJS requires a package. */
export const packageFile = fileURLToPath(new URL("package.json", packageRoot));

/** Text of a built file. */
export const builtText = (name: string): Promise<string> => text(`dist/${name}`);

/** Text of a source file that is used unbuilt, such as a template or a stylesheet. */
export const sourceText = (path: string): Promise<string> => text(`src/${path}`);

/** Built files that the tests of an app load. */
export const harnessFiles = { testing: builtFile("testing.cjs"), transform: builtFile("transform.js") };
