import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Manifest } from "@parley/contract";
import { builtText } from "../src/environment/assets.ts";
import { createBundler } from "../src/package/bundler/bundler.ts";
import { loadProject, type Inspect } from "../src/package/load/load.ts";
import type { LoadedProject } from "../src/package/model/project.ts";
import { validateProject } from "../src/package/validate/validate.ts";
import { createInspector } from "../src/runtime/process/inspect.ts";
import { createLauncher } from "../src/runtime/process/launch.ts";
import { findBoundary } from "../src/sandbox/boundary.ts";
import { defaultHostSettings } from "../src/environment/settings.ts";

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

/** Creates app folders and loads them as the host does. */
export async function projectFolders(): Promise<ProjectFolders> {
  const [base, program, boundary] = await Promise.all([
    mkdtemp(join(tmpdir(), "parley-project-")),
    builtText("child.cjs"),
    findBoundary(),
  ]);
  const look = createInspector({
    launch: createLauncher(boundary),
    program,
    settings: defaultHostSettings,
    log: () => undefined,
  });
  // Cached by code: most tests don't change it, and an inspection starts a process.
  const inspections = new Map<string, ReturnType<Inspect>>();
  const inspect: Inspect = async (made) => {
    const { code } = await made;
    const answer = inspections.get(code) ?? look(made);
    inspections.set(code, answer);
    return answer;
  };
  const tools = { inspect, bundler: createBundler(boundary) };
  let turn = 0;
  const write = async (files: Record<string, unknown>): Promise<string> => {
    const folder = join(base, `app-${(turn += 1)}`);
    const all: Record<string, unknown> = {
      "manifest.json": MANIFEST,
      "config/iparams.json": IPARAMS,
      "server/server.js": "exports = { hear: function (args) {} };",
      ...files,
    };
    for (const [file, content] of Object.entries(all)) {
      if (content === undefined) continue;
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), typeof content === "string" ? content : JSON.stringify(content));
    }
    return folder;
  };
  return {
    load: async (files = {}) => loadProject(await write(files), tools),
    validate: async (files = {}) => validateProject(await write(files), tools),
    remove: () => {
      tools.bundler.close();
      return rm(base, { recursive: true, force: true });
    },
  };
}
