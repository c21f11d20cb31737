import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { testUrl } from "@parley/database/testing";
import { hostProgram } from "../support/host-program.ts";
import { familyOf, survivors } from "../support/process-tree.ts";
import { publishingFixture, type PublishingFixture } from "./publishing-fixture.ts";

let fixture: PublishingFixture;
beforeAll(async () => {
  fixture = await publishingFixture();
});
afterAll(() => fixture.close());

const CURRENT_DATABASE = statement("", "select current_database() as name");

/** Publishes a package in a process of its own. */
const PROGRAM = `
import { readFileSync } from "node:fs";
import { joinDatabase } from "@parley/database";
import { APP_SCHEMA } from "../../src/state/db/migrations.ts";
import { realHostPorts } from "../../src/environment/ports.ts";
import { createPublisher } from "../../src/publishing/publisher.ts";
import { packageStore } from "../../src/publishing/store.ts";
import { findBoundary } from "../../src/sandbox/boundary.ts";
const [, , url, dataFolder, archive, version] = process.argv;
const database = await joinDatabase({ dataFolder, url, log: () => undefined });
const publisher = await createPublisher({
  store: packageStore(database.pool(APP_SCHEMA)),
  dataFolder,
  boundary: await findBoundary(),
  domainSuffix: ".parley.localhost",
  ports: realHostPorts,
  log: () => undefined,
});
console.log("ready");
await publisher.publish({ archive: readFileSync(archive), name: "killed", version });
console.log("published");
process.exit(0);
`;

test("a killed publication is stored whole or not at all, and the next start removes its folder", async () => {
  const program = await hostProgram(PROGRAM);
  const name = (await fixture.pool.one<{ name: string }>(CURRENT_DATABASE, []))?.name ?? "";
  const archive = await fixture.archive();
  const file = join(fixture.dataFolder, "killed.zip");
  await writeFile(file, archive);
  const workFolders = async () =>
    (await readdir(join(fixture.dataFolder, "app-packages"))).filter((entry) => entry.startsWith(".work-"));
  let left = 0;
  const published: boolean[] = [];
  try {
    // The last one ends by itself before it would be killed.
    for (const delayMs of [20, 100, 200, 300, 400, 45_000]) {
      const child = spawn(process.execPath, [program.path, testUrl(name), fixture.dataFolder, file, String(delayMs)], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      let output = "";
      child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
      const ended = once(child, "exit");
      while (!output.includes("ready")) await Promise.race([once(child.stdout, "data"), ended]);
      await Promise.race([ended, setTimeout(delayMs)]);
      const family = await familyOf(child.pid ?? 0);
      child.kill("SIGKILL");
      await ended;
      expect(await survivors(family, 10_000)).toEqual([]);
      left += (await workFolders()).length;
      await fixture.startAnotherPublisher();
      expect(await workFolders()).toEqual([]);
      const version = await fixture.store.version("killed", String(delayMs));
      const reports = (await fixture.rowsOf("change_reports")).filter(({ body }) => {
        const { app, members } = body as { app: string; members: string[] };
        return app === "killed" && members[0] === String(delayMs);
      });
      expect(reports).toHaveLength(version ? 1 : 0);
      if (output.includes("published")) expect(version).toBeDefined();
      published.push(version !== undefined);
    }
  } finally {
    await program.remove();
  }
  expect(left).toBeGreaterThan(0);
  expect([published.at(0), published.at(-1)]).toEqual([false, true]);
});
