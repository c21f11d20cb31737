import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Manifest } from "@parley/contract";
import { builtText } from "../../src/environment/assets.ts";
import { createBundler } from "../../src/package/bundler/bundler.ts";
import { loadProject, type Inspect } from "../../src/package/load/load.ts";
import type { LoadedProject } from "../../src/model/project.ts";
import { validateProject } from "../../src/package/validate/validate.ts";
import { createInspector } from "../../src/runtime/process/inspect.ts";
import { createLauncher } from "../../src/runtime/process/process-link.ts";
import { findBoundary } from "../../src/sandbox/boundary.ts";
import { defaultHostSettings } from "../../src/environment/settings.ts";

export const MANIFEST = {
  "platform-version": "3.0",
  modules: { common: {}, chat_user: { events: { onUserCreate: { handler: "hear" } } } },
} satisfies Manifest;

export const IPARAMS = {
  domain: { display_name: "Account", type: "domain", type_attributes: { product: "chat" } },
  key: { display_name: "Key", type: "text", secure: true },
};

/** Files of an app without changes. */
export const UNCHANGED = {};

/** Returns the default manifest with modules added or replaced. */
export const manifestWith = (more: Record<string, unknown>) => ({
  ...MANIFEST,
  modules: { ...MANIFEST.modules, ...more },
});

/** Formats findings as lines that a test can compare. */
export const findingLines = ({ findings }: LoadedProject) =>
  findings.map(
    ({ level, file, line, message }) => `${level} ${file}${line === undefined ? "" : `:${line}`} ${message}`,
  );

export interface ProjectFolders {
  /** Loads a valid app with some of its files replaced; `undefined` removes a file. */
  load(files?: Record<string, unknown>): Promise<LoadedProject>;
  /** Loads the same app with all findings that `parley validate` reports. */
  validate(files?: Record<string, unknown>): Promise<LoadedProject>;
  remove(): Promise<void>;
}

/** Removes all files below a folder except those named, and folders that become empty. Returns whether the folder is empty. */
async function removeOthers(folder: string, keptNames: ReadonlySet<string>): Promise<boolean> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const remaining = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      const isRemoved = entry.isDirectory() ? await removeOthers(path, keptNames) : !keptNames.has(path);
      if (isRemoved) await rm(path, { recursive: true });
      return !isRemoved;
    }),
  );
  return !remaining.includes(true);
}

/**
 * Creates app folders and loads them as the host does.
 * @param reusesFolder whether calls take turns on one folder: the bundler starts a process for each folder. A test must not read the folder later
 */
export async function projectFolders({ reusesFolder = false } = {}): Promise<ProjectFolders> {
  const [base, program, boundary] = await Promise.all([
    mkdtemp(join(tmpdir(), "parley-project-")),
    builtText("child.cjs"),
    findBoundary(),
  ]);
  const inspectCode = createInspector({
    launch: createLauncher(boundary),
    program,
    settings: defaultHostSettings,
    log: () => undefined,
  });
  // Cached by code: most tests don't change it, and an inspection starts a process.
  const inspections = new Map<string, ReturnType<Inspect>>();
  const inspect: Inspect = async (building) => {
    const { code } = await building;
    const answer = inspections.get(code) ?? inspectCode(building);
    inspections.set(code, answer);
    return answer;
  };
  const tools = { inspect, bundler: createBundler(boundary) };
  let turn = 0;
  const write = async (files: Record<string, unknown>): Promise<string> => {
    const folder = join(base, reusesFolder ? "app" : `app-${(turn += 1)}`);
    const all: Record<string, unknown> = {
      "manifest.json": MANIFEST,
      "config/iparams.json": IPARAMS,
      "server/server.js": "exports = { hear: function (args) {} };",
      ...files,
    };
    const present = Object.entries(all).filter(([, content]) => content !== undefined);
    if (reusesFolder) await removeOthers(folder, new Set(present.map(([file]) => join(folder, file))));
    for (const [file, content] of present) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), typeof content === "string" ? content : JSON.stringify(content));
    }
    return folder;
  };
  let previous: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<LoadedProject>): Promise<LoadedProject> => {
    const result = reusesFolder ? previous.then(work) : work();
    previous = result.catch(() => undefined);
    return result;
  };
  return {
    load: (files = {}) => inTurn(async () => loadProject(await write(files), tools)),
    validate: (files = {}) => inTurn(async () => validateProject(await write(files), tools)),
    remove: () => {
      tools.bundler.close();
      return rm(base, { recursive: true, force: true });
    },
  };
}
