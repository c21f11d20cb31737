/** A real browser, a signed-in agent, and what the console of that agent does. */
import { execFile } from "node:child_process";
import { register } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BIN = join(ROOT, "packages/parley/bin/parley.mjs");

/** Starts the browser of the tests. */
export const launch = async (flags = []) => {
  // Module hooks of the tests, which load TypeScript modules.
  register("../../test/runner/hooks.mjs", import.meta.url, { data: { folders: [] } });
  const { launchBrowser } = await import("../../packages/framework/test/support/browser.ts");
  // The size of the heap is rounded without the flag.
  return launchBrowser(["--enable-precise-memory-info", "--js-flags=--expose-gc", ...flags]);
};

/** Signs an agent of acme in. -> a context whose pages have the session */
export const signIn = async (browser, dataFolder, email) => {
  const byEmail = email === undefined ? [] : ["--email", email];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [BIN, "sign-in", "--account", "acme", "--json", ...byEmail],
    { env: { ...process.env, PARLEY_DATA: dataFolder } },
  );
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
  const page = await context.newPage();
  await page.goto(JSON.parse(stdout).link);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL("**/console/**");
  const state = await context.storageState();
  await context.close();
  return state;
};

/** A protocol session that counts what a page loads. -> `{ scriptBytes(), requests }` */
export const watchNetwork = async (page) => {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  const scripts = new Set();
  const requests = [];
  let scriptBytes = 0;
  session.on("Network.responseReceived", ({ requestId, type }) => type === "Script" && scripts.add(requestId));
  session.on("Network.requestWillBeSent", ({ request }) => requests.push(`${request.method} ${request.url}`));
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (scripts.has(requestId)) scriptBytes += encodedDataLength;
  });
  return { scriptBytes: () => scriptBytes, requests, session };
};

/** Memory of the page's scripts after a garbage collection. @units bytes */
export const heapOf = async ({ session }) => {
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize;
};
