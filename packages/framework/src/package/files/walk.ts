import { readdir } from "node:fs/promises";
import { appFilePath, readAppFileBytes } from "./app-file.ts";

/** Folders that are never packed, at any depth. */
const EXCLUDED_FOLDERS = ["node_modules", "test_data", "test", "tests", "__tests__"];
const TYPESCRIPT = /\.(?:[cm]?tsx?|jsx)$|^tsconfig.*\.json$/;
const TEST = /\.(?:test|spec)\.[^.]+$/;

const isExcluded = (name: string, isFolder: boolean): boolean =>
  name.startsWith(".") || (isFolder ? EXCLUDED_FOLDERS.includes(name) : TYPESCRIPT.test(name) || TEST.test(name));

export interface WalkedFiles {
  /** Paths from the app's folder, with `/`. */
  readonly files: readonly string[];
  readonly leftOut: readonly string[];
}

/** Order of packed files: segment by segment, by UTF-16 code units. */
export const compareWalkOrder = (one: { readonly path: string }, other: { readonly path: string }): number => {
  const [left, right] = [one.path.split("/"), other.path.split("/")];
  const at = left.findIndex((name, index) => name !== right[index]);
  const [name = "", than = ""] = [left[at], right[at]];
  return at === -1 ? 0 : name < than ? -1 : 1;
};

/**
 * Lists the files of a folder that may be packed, unsorted.
 * @assumed Links are excluded because their target may be outside. Tests and TypeScript sources are excluded; a package contains the JavaScript.
 */
export async function walkFolder(folder: string, below: string): Promise<WalkedFiles> {
  const real = await appFilePath(folder, below);
  if (real === undefined) return { files: [], leftOut: [] };
  const entries = await readdir(real, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
    throw error;
  });
  const files: string[] = [];
  const leftOut: string[] = [];
  for (const entry of entries) {
    const path = `${below}/${entry.name}`;
    if (isExcluded(entry.name, entry.isDirectory())) leftOut.push(path);
    else if (entry.isDirectory()) {
      const inner = await walkFolder(folder, path);
      files.push(...inner.files);
      leftOut.push(...inner.leftOut);
    } else (entry.isFile() ? files : leftOut).push(path);
  }
  return { files, leftOut };
}

/** A file of a package. */
export interface PackedFile {
  /** Path from the app's folder, with `/`. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

export const textFile = (path: string, text: string): PackedFile => ({ path, bytes: Buffer.from(text, "utf8") });

/** @errors Error for a file that was deleted, or replaced by a link out of the folder, since it was listed */
export async function readPackedFile(folder: string, path: string): Promise<PackedFile> {
  const bytes = await readAppFileBytes(folder, path);
  if (!bytes)
    throw new Error(`${path} is no longer a file of the app. Pack again when no program writes to the folder.`);
  return { path, bytes };
}

/** Text of an existing file. @errors Error as for `readPackedFile` */
export const readPackedText = async (folder: string, path: string): Promise<string> =>
  Buffer.from((await readPackedFile(folder, path)).bytes).toString("utf8");
