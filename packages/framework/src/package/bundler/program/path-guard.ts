import type { BuildFailure, Message } from "esbuild";
import type { BundlerMessage, BundleJob } from "../job.ts";
import { lstatSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isHidden, isInside, PATH_REFUSALS } from "../../files/app-file.ts";

/** Refusal of a path, used as the `detail` of an esbuild error. */
export class PathRefused {
  readonly path: string;
  readonly reason: string;
  constructor(path: string, reason: string) {
    this.path = path;
    this.reason = reason;
  }
}

export const bundlerMessage = (level: "error" | "warning", { text, location, detail }: Message): BundlerMessage => {
  const place = location ? { file: location.file, line: location.line, column: location.column + 1 } : {};
  return detail instanceof PathRefused
    ? { level: "refused", text: detail.reason, path: detail.path, ...place }
    : { level, text, ...place };
};

/** Messages of a failed build. @errors Rethrows every other error. */
export const bundlerMessages = (error: unknown): BundlerMessage[] => {
  const { errors, warnings } = error as Partial<BuildFailure>;
  if (!errors) throw error;
  return [
    ...errors.map((message) => bundlerMessage("error", message)),
    ...(warnings ?? []).map((message) => bundlerMessage("warning", message)),
  ];
};

/** An import, as esbuild passes it to plugins. */
interface ImportPath {
  readonly path: string;
  /** Folder of the importing file; "" if the importer is not a file. */
  readonly resolveDir: string;
  readonly with: Readonly<Record<string, string>>;
}

const PACKAGE_NAME = /^(?:@[^/]+\/)?[^./@#][^/]*/;

/** The location that an import path names; undefined for a package, a URL or any other text. */
const namedPath = ({ path, resolveDir }: ImportPath): string | undefined => {
  if (/^file:/i.test(path)) {
    try {
      return fileURLToPath(path.replace(/[?#].*$/, ""));
    } catch {
      return "/";
    }
  }
  if (isAbsolute(path)) return resolve(path);
  return /^\.\.?(?:\/|$)/.test(path) ? resolve(resolveDir || "/", path) : undefined;
};

// Synchronous: each call is short, there are many, and the process has no other task.
const realPath = (path: string): string | undefined => {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
};
const linkState = (path: string): "absent" | "link" | "other" => {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  return entry === undefined ? "absent" : entry.isSymbolicLink() ? "link" : "other";
};
/** Whether a path is, or passes through, a dangling link. Targets outside the visible files do not exist for this process. */
const isDanglingLink = (path: string): boolean => {
  for (let at = path; ; at = dirname(at)) {
    const state = linkState(at);
    if (state !== "absent" || at === dirname(at)) return state === "link";
  }
};

/**
 * Decides which files may be part of a bundle: files of the app that are not hidden, and files of packages. A package in the app's folder must be
 * entirely inside it. A package above belongs to the operator of the machine, who may have linked it from elsewhere.
 */
export class PathGuard {
  readonly #folder: string;
  readonly #all: readonly string[];
  readonly #metadata = new Map<string, PathRefused | undefined>();

  constructor({ folder, packageFolders }: Pick<BundleJob, "folder" | "packageFolders">) {
    this.#folder = folder;
    this.#all = [folder, ...packageFolders];
  }

  /** Whether files outside of the app's folder may be part of a bundle. */
  get hasPackagesAbove(): boolean {
    return this.#all.length > 1;
  }

  /** Checks an import path, whether or not the file exists. */
  refusalOfImport(imported: ImportPath): PathRefused | undefined {
    const { path, resolveDir } = imported;
    if (!hasKnownAttributes(imported.with)) return new PathRefused(path, PATH_REFUSALS.attribute);
    const place = namedPath(imported);
    if (place === undefined || this.#isIn(this.#homesOf(resolveDir), place)) return undefined;
    return new PathRefused(path, PATH_REFUSALS.outside);
  }

  /** Checks the file to which an import was resolved. */
  refusalOfTarget(imported: ImportPath, target: string): PathRefused | undefined {
    const real = realPath(target);
    if (real === undefined) return undefined;
    const homes =
      namedPath(imported) === undefined ? this.#homesOfPackage(imported) : this.#homesOf(imported.resolveDir);
    if (!this.#isIn(homes, real)) return new PathRefused(imported.path, PATH_REFUSALS.link);
    return isInside(this.#folder, real) && isHidden(this.#folder, real)
      ? new PathRefused(imported.path, PATH_REFUSALS.hidden)
      : undefined;
  }

  /** Checks a file before it is read, however it was found. */
  refusalOfFile(file: string, attributes: ImportPath["with"] = {}): PathRefused | undefined {
    if (!hasKnownAttributes(attributes)) return new PathRefused(file, PATH_REFUSALS.attribute);
    const real = realPath(file);
    if (real === undefined) return isDanglingLink(file) ? new PathRefused(file, PATH_REFUSALS.link) : undefined;
    if (!this.#isIn(this.#all, real)) return new PathRefused(file, PATH_REFUSALS.link);
    if (!isInside(this.#folder, real)) return undefined;
    return isHidden(this.#folder, real)
      ? new PathRefused(file, PATH_REFUSALS.hidden)
      : this.#refusalOfMetadata(dirname(real));
  }

  /** esbuild reads the package.json of each parent folder without calling plugins. */
  #refusalOfMetadata(folder: string): PathRefused | undefined {
    if (this.#metadata.has(folder)) return this.#metadata.get(folder);
    const file = join(folder, "package.json");
    const leadsOut = linkState(file) === "link" && !isInside(this.#folder, realPath(file) ?? "/");
    const above = folder === this.#folder ? undefined : this.#refusalOfMetadata(dirname(folder));
    const refusal = leadsOut ? new PathRefused(file, PATH_REFUSALS.link) : above;
    this.#metadata.set(folder, refusal);
    return refusal;
  }

  #isIn(folders: readonly string[], path: string): boolean {
    return folders.some((folder) => isInside(folder, path));
  }

  /** Folders that a file may reach by a path. */
  #homesOf(resolveDir: string): readonly string[] {
    return resolveDir === "" || isInside(this.#folder, resolveDir) ? [this.#folder] : this.#all;
  }

  /** Folders in which an imported package may be. A package of the app must not be a link to another folder. */
  #homesOfPackage({ path, resolveDir }: ImportPath): readonly string[] {
    const [name] = PACKAGE_NAME.exec(path) ?? [];
    if (name === undefined || resolveDir === "") return this.#homesOf(resolveDir);
    for (let folder = resolveDir; ; folder = dirname(folder)) {
      if (linkState(join(folder, "node_modules", name)) !== "absent")
        return isInside(this.#folder, folder) ? [this.#folder] : this.#all;
      if (folder === dirname(folder)) return this.#homesOf(resolveDir);
    }
  }
}

const hasKnownAttributes = (attributes: ImportPath["with"]): boolean =>
  Object.entries(attributes).every(([name, value]) => name === "type" && value === "json");

const SOURCE_MAP_URL = /sourceMappingURL=([^\s'"`*]+)/g;

/** All paths that the URL of a source map may stand for. */
const candidatePaths = (file: string, address: string): string[] => {
  const forms = new Set([address, address.replace(/[?#].*$/, "")]);
  for (const form of [...forms])
    try {
      forms.add(decodeURIComponent(form));
    } catch {
      // Without valid percent-encoding, the text has no second form.
    }
  return [...forms].flatMap((form) => {
    if (!/^file:/i.test(form)) return [isAbsolute(form) ? form : resolve(dirname(file), form)];
    try {
      return [fileURLToPath(form)];
    } catch {
      return [];
    }
  });
};

/** Refuses a source map outside of the app: esbuild reads the map that a file names without calling plugins. */
export function refusalOfSourceMap(guard: PathGuard, file: string, text: string): PathRefused | undefined {
  for (const [, address = ""] of text.matchAll(SOURCE_MAP_URL)) {
    if (/^data:/i.test(address)) continue;
    for (const place of candidatePaths(file, address))
      if (guard.refusalOfFile(place)) return new PathRefused(address, PATH_REFUSALS.sourceMap);
  }
  return undefined;
}
