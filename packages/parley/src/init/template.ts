import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { editorSchemas } from "@parley/framework/authoring";

/** A file of a new app, by its way from the app's folder, with `/`. */
export interface NewFile {
  readonly path: string;
  readonly text: string;
}

const ENDING = ".tmpl";
const NAME = /__NAME__/g;

/** Beside the source, or beside the bundle that was made of it. */
const templateFolder = (): string =>
  ["./template/", "../src/init/template/"]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path)) ?? "";

/** npm would take a file of the name itself for its own. */
const placeOf = (path: string): string => path.slice(0, -ENDING.length).replace(/^gitignore$/, ".gitignore");

/** All files of a new app, in the order of their names. */
export async function newFiles(name: string): Promise<NewFile[]> {
  const folder = templateFolder();
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const written = await Promise.all(
    entries
      .filter((entry) => entry.isFile() && entry.name.endsWith(ENDING))
      .map(async ({ parentPath, name: file }) => {
        const path = join(parentPath, file);
        const text = (await readFile(path, "utf8")).replace(NAME, name);
        return { path: placeOf(relative(folder, path).split(sep).join("/")), text };
      }),
  );
  const schemas = Object.entries(editorSchemas()).map(([file, schema]) => ({
    path: `types/${file}`,
    text: `${JSON.stringify(schema, null, 2)}\n`,
  }));
  return [...written, ...schemas].sort((one, other) => (one.path < other.path ? -1 : 1));
}
