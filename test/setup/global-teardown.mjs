/** Stops the server and removes the folder of `global-setup.mjs`. */
import { rmSync } from "node:fs";

export default async function teardown() {
  await globalThis.parleyTestServer?.stop();
  if (globalThis.parleyTestFolder) rmSync(globalThis.parleyTestFolder, { recursive: true, force: true });
}
