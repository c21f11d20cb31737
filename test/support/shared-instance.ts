import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../../packages/framework/test/support/browser.ts";
import { ROOT, startParley, temporaryFolder, type Announcement } from "./parley-process.ts";

/**
 * One instance of `npm start` and one browser for all test files of a process. Test files run one after another and load this module anew, so
 * the global object keeps both. They end with the process.
 */

/** A running instance as an operator uses it. */
export interface OperatedInstance extends Announcement {
  readonly pid: number;
  readonly dataFolder: string;
  readonly origin: string;
  /**
   * Sends a request with the admin key.
   * @shape path: below the origin, or an address; body: a text is lines of records
   * @errors Error with the status and the text of a refusal
   */
  readonly administer: <T>(method: string, path: string, body?: unknown) => Promise<T>;
}

/** States in which a file gets the shared instance. */
export type InstanceState = "started" | "without apps";

/** Time in which the instance ends, after which the process ends without it. @units milliseconds */
const END_WITHIN_MS = 15_000;
const WITHOUT_APPS = "without-apps";

interface Shared {
  instance?: Promise<OperatedInstance> | undefined;
  browser?: Promise<Browser> | undefined;
}
const SHARED = Symbol.for("parley.tests.shared-instance");
const shared = ((globalThis as { [SHARED]?: Shared })[SHARED] ??= {});

/** Adds what an operator needs to a running instance. */
export const operatedInstance = async (
  running: Announcement & { readonly pid: number },
  dataFolder: string,
): Promise<OperatedInstance> => {
  const { origin } = new URL(running.service);
  const key = (await readFile(join(dataFolder, "admin-key"), "utf8")).trim();
  return {
    ...running,
    dataFolder,
    origin,
    administer: async <T>(method: string, path: string, body?: unknown) => {
      const isText = typeof body === "string";
      const reply = await fetch(new URL(path, origin), {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== undefined && { "content-type": isText ? "application/x-ndjson" : "application/json" }),
        },
        ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
      });
      const text = await reply.text();
      if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
      return (isText || text === "" ? text : JSON.parse(text)) as T;
    },
  };
};

const sleep = (milliseconds: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);

const startShared = async (): Promise<OperatedInstance> => {
  const { folder } = await temporaryFolder("parley-shared-");
  const running = await startParley(folder, {
    // An event that a webhook refuses has failed after a second.
    env: { PARLEY_WEBHOOK_RETRIES: "1s" },
    holdsInput: true,
    wrapCommand: (command) => [process.execPath, join(ROOT, "test/support/instance-keeper.mjs"), folder, ...command],
  });
  // The keeper also ends the instance if this process is killed.
  process.once("exit", () => {
    try {
      process.kill(running.pid, "SIGTERM");
    } catch {
      // The instance has ended before.
      return;
    }
    const end = performance.now() + END_WITHIN_MS;
    // The keeper removes the folder at last.
    while (existsSync(folder) && performance.now() < end) sleep(20);
  });
  const instance = await operatedInstance(running, folder);
  await instance.administer("POST", `${running.app}/admin/uninstall`);
  await instance.administer("PUT", `/admin/world/snapshots/${WITHOUT_APPS}`);
  return instance;
};

/** The instance of this process, in a state that no earlier test file has changed. */
export const sharedInstance = async (state: InstanceState): Promise<OperatedInstance> => {
  const instance = await (shared.instance ??= startShared());
  await instance.administer(
    "POST",
    state === "started" ? "/admin/world/reset" : `/admin/world/snapshots/${WITHOUT_APPS}/load`,
  );
  return instance;
};

/** The browser of this process, without the contexts of earlier test files. */
export const sharedBrowser = async (): Promise<Browser> => {
  let browser = await (shared.browser ??= launchBrowser());
  if (!browser.isConnected()) browser = await (shared.browser = launchBrowser());
  await Promise.all(browser.contexts().map((context) => context.close()));
  return browser;
};
