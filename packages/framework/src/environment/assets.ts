import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** This source lies in `src/environment/`, a bundle in a folder beside `src/`. */
const packageRoot = new URL(/\/src\/environment\/[^/]+$/.test(import.meta.url) ? "../../" : "../", import.meta.url);

const text = (path: string): Promise<string> => readFile(new URL(path, packageRoot), "utf8");

/** Path of a program that the build made. */
export const builtFile = (name: string): string => fileURLToPath(new URL(`dist/${name}`, packageRoot));

/** Text of a file that the build made. */
export const builtText = (name: string): Promise<string> => text(`dist/${name}`);

/** Text of a file that is read as it was written: a template, a stylesheet. */
export const sourceText = (path: string): Promise<string> => text(`src/${path}`);
