import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** `src/` and `dist/` stand side by side, so one address fits both. */
const text = (path: string): Promise<string> => readFile(new URL(`../${path}`, import.meta.url), "utf8");

/** Path of a program that the build made. */
export const builtFile = (name: string): string => fileURLToPath(new URL(`../dist/${name}`, import.meta.url));

/** Text of a file that the build made. */
export const builtText = (name: string): Promise<string> => text(`dist/${name}`);

/** Text of a file that is read as it was written: a template, a stylesheet. */
export const sourceText = (path: string): Promise<string> => text(`src/${path}`);
