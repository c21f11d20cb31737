import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, cp, readFile, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { familyOf, platformPidOf, ROOT, startParley, survivors, temporaryFolder } from "../support/parley-process.ts";

describe("npm start that builds", () => {
  let copy: Awaited<ReturnType<typeof temporaryFolder>>;
  let data: Awaited<ReturnType<typeof temporaryFolder>>;

  /** A copy of the project with its bundles: a build in the project itself would change bundles that other tests load. */
  beforeAll(async () => {
    // Not in the folder for temporary files, which may be in memory: a hard link can't leave its file system.
    [copy, data] = await Promise.all([temporaryFolder("parley-copy-", "/var/tmp"), temporaryFolder()]);
    // The app's bundler may run as another user.
    await chmod(copy.folder, 0o755);
    const filter = (path: string) => !["node_modules", "test"].includes(basename(path));
    for (const part of ["package.json", "package-lock.json", "scripts", "packages"])
      await cp(join(ROOT, part), join(copy.folder, part), { recursive: true, preserveTimestamps: true, filter });
    const installed = [join(ROOT, "node_modules"), copy.folder];
    if (spawnSync("cp", ["-al", ...installed]).status !== 0) {
      await rm(join(copy.folder, "node_modules"), { recursive: true, force: true });
      expect(spawnSync("cp", ["-a", ...installed]).status).toBe(0);
    }
  });
  afterAll(() => Promise.all([copy.remove(), data.remove()]));

  /** Makes a package stale. */
  const forgetBuild = (name: string) => rm(join(copy.folder, "packages", name, "dist/.built"));
  const commandOf = async (pid: number) =>
    (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).replaceAll("\0", " ");

  test("leaves no process of the build, and prints one line for --json", async () => {
    await forgetBuild("ingress");
    const running = await startParley(data.folder, { project: copy.folder });
    try {
      expect(running.output.stdout.trim().split("\n")).toHaveLength(1);
      await stat(join(copy.folder, "packages/ingress/dist/.built"));
      const platform = await platformPidOf(running.pid);
      // The platform bundles the app with an esbuild of its own, which ends after a minute without work.
      const apps = await familyOf(platform);
      const own = (await familyOf(running.pid)).filter((pid) => !apps.includes(pid));
      const commands = await Promise.all(own.map(commandOf));
      expect(commands.filter((command) => /esbuild|build\.mjs/.test(command))).toEqual([]);
    } finally {
      await running.stop();
    }
  });

  test("ends the build with a signal that only the command itself gets", async () => {
    await forgetBuild("console");
    const child = spawn(process.execPath, [join(copy.folder, "scripts/start.mjs")], { stdio: "ignore" });
    const end = once(child, "exit");
    let family: number[] = [];
    for (let isBuilding = false; !isBuilding && child.exitCode === null; await wait(20)) {
      family = await familyOf(child.pid ?? 0);
      isBuilding = (await Promise.all(family.map(commandOf))).some((command) => command.includes("build.mjs"));
    }
    expect(family.length).toBeGreaterThan(1);
    child.kill("SIGTERM");
    expect(await end).toEqual([null, "SIGTERM"]);
    expect(await survivors(family, 5_000)).toEqual([]);
  });
});
