/** Builds what is stale and starts the one PostgreSQL that all test files share. */
import { build } from "../../scripts/build.mjs";

export default async function setup() {
  await build();
  const { startTestServer } = await import("../../packages/database/dist/testing.js");
  const server = await startTestServer();
  Object.assign(process.env, server.env);
  globalThis.parleyTestServer = server;
}
