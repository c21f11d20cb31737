import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type ProjectTools, loadProject } from "../../src/package/load/load.ts";
import { createProjectTools } from "../../src/runtime/process/inspect.ts";
import { findBoundary, type BoundaryName } from "../../src/sandbox/boundary.ts";
import { sampleRows } from "../../../../test/support/campaign.ts";
import { hostProgram, type HostProgram } from "../support/host-program.ts";
import { familyOf, survivors } from "../support/process-tree.ts";
import { MANIFEST } from "../support/project-folder.ts";

let base: string;
let tools: ProjectTools;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "parley-bundler-limits-"));
  tools = await createProjectTools();
});
afterAll(async () => {
  tools.bundler.close();
  await rm(base, { recursive: true, force: true });
});

/** Writes an app with this code. Returns its folder. */
async function appWith(name: string, code: string): Promise<string> {
  const folder = join(base, name);
  const files = { "manifest.json": JSON.stringify(MANIFEST), "config/iparams.json": "{}", "server/server.js": code };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}
const GOOD = "exports = { hear: function () {} };";
const failuresOf = async (folder: string) =>
  (await loadProject(folder, tools)).findings
    .filter(({ level }) => level === "error")
    .map(({ code, message }) => ({ code, message }));

/** Which limit is reached first depends on the speed of the machine. */
const LIMIT_REACHED =
  /^server\/server\.js can't be bundled: (?:the bundler ended: the app's files need more memory or time than it may use|it takes longer than 30 seconds)$/;
/** Valid JavaScript, or a prefix of it, that esbuild can't bundle within its limits. */
const OVERSIZED = [
  ["that is nested too deeply for the stack", () => `${GOOD}x = ${"[".repeat(5_000_000)}`],
  ["that needs too much memory", () => `${GOOD}x = [${"()=>0,".repeat(5_000_000)}]`],
] as const;

describe("code", () => {
  test.each(OVERSIZED)(
    "%s is rejected with a finding, and the app is bundled after its correction",
    async (title, code) => {
      const folder = await appWith(title.replaceAll(" ", "-"), code());
      expect(await failuresOf(folder)).toEqual([
        { code: "bundling-failed", message: expect.stringMatching(LIMIT_REACHED) as unknown },
      ]);
      await writeFile(join(folder, "server/server.js"), GOOD);
      expect(await failuresOf(folder)).toEqual([]);
    },
    60_000,
  );
});

/** A host that bundles one app and prints when the bundler's process has started. */
const HOST = `
import { loadProject } from "../../src/package/load/load.ts";
import { createProjectTools } from "../../src/runtime/process/inspect.ts";
import { sampleRows } from "../../../../test/support/campaign.ts";
const tools = await createProjectTools([process.argv[3]]);
setTimeout(() => console.log("bundling"), 1_000);
await loadProject(process.argv[2], tools);
console.log("done");
`;

describe("a host that is killed while bundling", () => {
  let host: HostProgram;
  beforeAll(async () => {
    host = await hostProgram(HOST);
  });
  afterAll(() => host.remove());

  const BOUNDARIES: readonly BoundaryName[] = ["bubblewrap", "namespaces", "unshare", "landlock", "none"];
  test.each(sampleRows(BOUNDARIES, 2))("leaves no bundler process: %s", async (name) => {
    // A machine may lack a boundary, but `none` is always available.
    const boundary = await findBoundary([name]).then(
      () => name,
      () => "none",
    );
    const app = await appWith(`killed-${name}`, `${GOOD}x = [${"{a:1},".repeat(3_000_000)}]`);
    const running = spawn(process.execPath, [host.path, app, boundary], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(running, "exit");
    expect(String(await once(running.stdout, "data"))).toBe("bundling\n");
    const family = (await familyOf(running.pid ?? 0)).slice(1);
    // At least the bundler's process and esbuild's own.
    expect(family.length).toBeGreaterThanOrEqual(2);
    running.kill("SIGKILL");
    await ended;
    expect(await survivors(family, 10_000)).toEqual([]);
  });
});
