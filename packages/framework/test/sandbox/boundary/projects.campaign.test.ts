import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ensureDependencies } from "../../../src/package/dependencies/dependencies.ts";
import { validateProject } from "../../../src/package/validate/validate.ts";
import { createProjectTools } from "../../../src/runtime/process/inspect.ts";
import { findBoundary, type BoundaryName } from "../../../src/sandbox/boundary.ts";
import { startFakeRegistry, type FakeRegistry } from "../../support/fake-registry.ts";

/** Parley can process an app's files in each boundary. */

const CONCIERGE = fileURLToPath(new URL("../../../../..", import.meta.url));

const NAMES: readonly BoundaryName[] = ["bubblewrap", "namespaces", "unshare", "landlock", "sandbox-exec", "none"];
const isThere = (name: BoundaryName): Promise<boolean> =>
  findBoundary([name]).then(
    () => true,
    () => false,
  );
// Computed at load time: test tables are built before any test runs.
const AVAILABLE: BoundaryName[] = [];
for (const name of NAMES) if (await isThere(name)) AVAILABLE.push(name);

const base = await realpath(await mkdtemp(join(tmpdir(), "parley-projects-")));
let registry: FakeRegistry;
beforeAll(async () => {
  registry = await startFakeRegistry({
    "loud-words@1.0.0": { "index.js": `module.exports = (text) => text.toUpperCase();` },
  });
});
afterAll(async () => {
  await registry.close();
  await rm(base, { recursive: true, force: true });
});

async function write(folder: string, files: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [file, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), typeof content === "string" ? content : JSON.stringify(content));
  }
}

/** Writes an app into a folder of several projects. Its code imports a package from each possible location. */
async function writeApp(name: string): Promise<string> {
  const appFolder = join(base, name);
  const folder = join(appFolder, "apps/greeter");
  await write(appFolder, {
    "node_modules/above/index.js": "module.exports = 'above';",
    "packages/linked/index.js": "module.exports = require('beside-linked');",
    "packages/linked/package.json": { name: "linked", version: "1.0.0" },
    "packages/node_modules/beside-linked/index.js": "module.exports = 'beside';",
  });
  await symlink("../packages/linked", join(appFolder, "node_modules/linked"));
  await write(folder, {
    ".npmrc": registry.npmrc,
    "manifest.json": {
      "platform-version": "3.0",
      modules: { common: {}, chat_user: { events: { onUserCreate: { handler: "hear" } } } },
      dependencies: { "loud-words": "1.0.0" },
    },
    "config/iparams.json": {},
    "config/assets/iparams.js": "import { own } from './more.js'; export function onFormLoad() { own(); }",
    "config/assets/more.js": "export const own = () => 1;",
    "node_modules/@scope/own/index.js": "module.exports = 'own';",
    "server/server.js": [
      "const words = [require('above'), require('linked'), require('@scope/own'), require('loud-words'), require('./lib/near')];",
      "exports = { hear() { console.info(words); } };",
    ].join("\n"),
    "server/lib/near.js": "module.exports = 'near';",
  });
  return folder;
}

describe.each(AVAILABLE)("in the boundary %s", (name) => {
  test("an app gets its dependencies installed, and its code contains the packages of each location", async () => {
    const folder = await writeApp(name);
    const lines: string[] = [];
    expect(await ensureDependencies(await findBoundary([name]), folder, (line) => lines.push(line))).toEqual([]);
    expect(lines).toContain("Installed loud-words@1.0.0.");
    const tools = await createProjectTools([name]);
    const { findings, project } = await validateProject(folder, tools);
    tools.bundler.close();
    expect(findings.filter(({ code }) => !code.startsWith("lint"))).toEqual([]);
    for (const word of ["above", "beside", "own", "near"]) expect(project?.serverCode).toContain(`"${word}"`);
    expect(project?.serverCode).toContain("toUpperCase");
    expect(project?.callbacksCode).toContain("onFormLoad");
  });

  test("Concierge, in a folder that contains Parley itself, has no findings", async () => {
    const tools = await createProjectTools([name]);
    const { findings } = await validateProject(CONCIERGE, tools);
    tools.bundler.close();
    expect(findings).toEqual([]);
  });
});
