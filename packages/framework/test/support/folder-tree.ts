import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Lists everything below a folder, links and special files with their kind. */
export async function treeOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .map(
      (entry) =>
        `${join(entry.parentPath, entry.name).slice(folder.length + 1)}${entry.isFile() || entry.isDirectory() ? "" : " (no file)"}`,
    )
    .sort();
}
