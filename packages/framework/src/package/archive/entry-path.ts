import { refuseEntry } from "./package-refused.ts";
import type { ZipEntry } from "./zip-structure.ts";

/** @units bytes */
const PATH_BYTES_MAX = 1_024;
/** Maximum length of the name of one file or folder, as common file systems limit it. @units bytes */
const NAME_BYTES_MAX = 255;
/** Maximum number of folders in a path, which bounds the time for comparing the paths of an archive. */
const PATH_DEPTH_MAX = 32;
/** Allowed files whose names begin with a dot. */
const DOT_FILES = [".report.json"];

/** Control characters, line separators, and characters that reverse the direction of a text. */
const INVISIBLE = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
/** Percent-encoded separators, dots, percent signs and NULs: a server that decodes such a name reads another name. */
const ENCODED = /%(?:2e|2f|5c|25|00)/i;

const isPart = (part: string): boolean =>
  part !== "" && part !== "." && part !== ".." && !/[. ]$/.test(part) && Buffer.byteLength(part) <= NAME_BYTES_MAX;

/** Whether a path stays inside the folder that it is unpacked to, on any file system. */
const isContained = (path: string): boolean => !/[\\:]/.test(path) && path.split("/").every(isPart);

/** Whether a file system that replaces compatible characters, such as full-width dots, keeps the path inside the folder. */
const isContainedNormalized = (path: string): boolean => {
  const parts = path.split("/").map((part) => part.normalize("NFKC"));
  return parts.every((part) => part !== ".." && !/[/\\]/.test(part));
};

const isHiddenPath = (path: string): boolean =>
  !DOT_FILES.includes(path) && path.split("/").some((part) => part.startsWith("."));

const textOf = ({ nameBytes, label }: ZipEntry): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(nameBytes);
  } catch {
    return refuseEntry(label, "has a name that is not in UTF-8");
  }
};

/**
 * Path of an entry from the app's folder, with `/`; "" for that folder itself.
 * @errors PackageRefused for a path that leads out of the folder or to a hidden file, and for a name that programs read differently
 */
export const entryPath = (entry: ZipEntry): string => {
  const name = textOf(entry);
  const path = name.replace(/^\.\//, "").replace(/\/$/, "");
  if (path === "" && entry.isFolder && name === "./") return "";
  if (INVISIBLE.test(name)) refuseEntry(name, "has a name with control characters");
  if (
    Buffer.byteLength(path) > PATH_BYTES_MAX ||
    path.split("/").some((part) => Buffer.byteLength(part) > NAME_BYTES_MAX)
  )
    refuseEntry(name, "has a name that is too long");
  if (path.split("/").length > PATH_DEPTH_MAX) refuseEntry(name, "lies in too many folders");
  if (ENCODED.test(path)) refuseEntry(name, "has a name with percent-encoded characters");
  if (!isContained(path) || !isContainedNormalized(path) || isHiddenPath(path))
    refuseEntry(name, "would lie outside the app's folder or be hidden there");
  return path;
};

/** Equal for two names that some file systems do not distinguish: by case, or by Unicode normal form. */
const folded = (path: string): string => path.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");

/**
 * Refuses entries that overwrite each other when they are unpacked.
 * @errors PackageRefused
 */
export const checkDistinctPaths = (entries: readonly { readonly path: string; readonly isFolder: boolean }[]): void => {
  const files = new Map<string, string>();
  const folders = new Map<string, string>();
  const listedFolders = new Set<string>();
  const addFolder = (path: string): void => {
    const known = folders.get(folded(path));
    if (known !== undefined && known !== path) refuseEntry(path, `has the same name as ${JSON.stringify(known)}`);
    folders.set(folded(path), path);
  };
  for (const { path, isFolder } of entries) {
    const parts = path.split("/");
    for (let depth = 1; depth < parts.length; depth += 1) addFolder(parts.slice(0, depth).join("/"));
    if (isFolder && listedFolders.has(path)) refuseEntry(path, "occurs twice");
    if (isFolder) {
      listedFolders.add(path);
      addFolder(path);
      continue;
    }
    const known = files.get(folded(path));
    if (known === path) refuseEntry(path, "occurs twice");
    if (known !== undefined) refuseEntry(path, `has the same name as ${JSON.stringify(known)}`);
    files.set(folded(path), path);
  }
  for (const [key, path] of files) if (folders.has(key)) refuseEntry(path, "is a file and a folder");
};
