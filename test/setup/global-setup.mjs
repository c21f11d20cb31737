/** Builds outdated bundles and starts the PostgreSQL server that all test files share. */
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "../../scripts/build.mjs";

const built = new URL("../../packages/database/dist/testing.js", import.meta.url);

export default async function setup() {
  try {
    await build();
  } catch (error) {
    // A package that doesn't bundle fails only the tests that need its bundle.
    if (!existsSync(fileURLToPath(built))) throw error;
    console.warn(`Some bundles are out of date: ${error.message}`);
  }
  const { startTestServer } = await import("../../packages/database/dist/testing.js");
  const server = await startTestServer();
  Object.assign(process.env, server.env);
  globalThis.parleyTestServer = server;
  // What one test file makes for all of them.
  globalThis.parleyTestFolder = mkdtempSync(join(tmpdir(), "parley-shared-"));
  process.env.PARLEY_TEST_FOLDER = globalThis.parleyTestFolder;
}
