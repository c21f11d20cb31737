import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launchBrowser } from "../../framework/test/browser.ts";
import { familyOf, killAll, parley, ROOT, survivors, temporaryFolder } from "../../../test/parley-process.ts";
import type { TestAppFiles } from "./greeter-app.ts";

interface AnnouncedServing {
  readonly service: string;
  readonly platform: string;
  readonly apps: string;
}

/** A page of a signed-in agent. */
export interface AgentVisit {
  readonly page: Page;
  /** Errors of the console, oldest first. */
  readonly errors: string[];
  /** Addresses of the page's requests, and those of its frames. */
  readonly requests: string[];
  leave(): Promise<void>;
}

/** `parley serve --demo` in processes of its own, with a browser. */
export interface ServingHarness {
  readonly folder: string;
  readonly announced: AnnouncedServing;
  /** Runs a command as a shell does. @errors Error if it fails -> its standard output */
  run(...args: readonly string[]): Promise<string>;
  /** Publishes the files by `parley publish <folder>`. */
  publish(files: TestAppFiles): Promise<void>;
  /** Asks the service's API for the operator. */
  admin<B>(path: string): Promise<B>;
  /** Address of the installation page of an app on acme. */
  pageOf(app: string, query?: string): string;
  /** Signs an agent in by a link and opens the address. @shape email: the first admin when absent */
  visit(address: string, email?: string, options?: BrowserContextOptions): Promise<AgentVisit>;
  close(): Promise<void>;
}

export const servingHarness = async (more: readonly string[] = []): Promise<ServingHarness> => {
  const data = await temporaryFolder("parley-serving-");
  const { NODE_OPTIONS: _, DATABASE_URL: __, ...rest } = process.env;
  const args = ["serve", "--port", "0", "--app-port", "0", "--demo", "--json", ...more];
  const env = { ...rest, PARLEY_DATA: data.folder, PARLEY_CALLS_PER_HOUR: "1000000" };
  const script = join(ROOT, "packages/parley/bin/parley.mjs");
  const child = spawn(process.execPath, [script, ...args], {
    cwd: data.folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()));
  while (!output.stdout.includes("\n")) {
    if (child.exitCode !== null) throw new Error(`serve ended: ${output.stderr}`);
    await wait(20);
  }
  const announced = JSON.parse(output.stdout) as AnnouncedServing;
  const browser: Browser = await launchBrowser();

  const run = async (...command: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await parley(command, { env: { PARLEY_DATA: data.folder } });
    if (status !== 0) throw new Error(`parley ${command.join(" ")}: ${stderr}${output.stderr}`);
    return stdout;
  };
  return {
    folder: data.folder,
    announced,
    run,
    async publish(files) {
      const folder = await mkdtemp(join(data.folder, "app-"));
      for (const [path, content] of Object.entries(files)) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), typeof content === "string" ? content : JSON.stringify(content));
      }
      await run("publish", folder);
      await rm(folder, { recursive: true });
    },
    async admin(path) {
      const key = (await readFile(join(data.folder, "admin-key"), "utf8")).trim();
      const reply = await fetch(new URL(announced.service).origin + path, {
        headers: { authorization: `Bearer ${key}` },
      });
      return (await reply.json()) as never;
    },
    pageOf: (app, query = "") => {
      const { protocol, host } = new URL(announced.apps);
      return `${protocol}//${app}--acme.${host}/custom_configs${query}`;
    },
    async visit(address, email, options = {}) {
      const byEmail = email === undefined ? [] : ["--email", email];
      const { link } = JSON.parse(await run("sign-in", "--account", "acme", "--json", ...byEmail)) as { link: string };
      const context = await browser.newContext({ reducedMotion: "reduce", ...options });
      const page = await context.newPage();
      const errors: string[] = [];
      const requests: string[] = [];
      page.on("console", (message) => void (message.type() === "error" && errors.push(message.text())));
      page.on("pageerror", (error) => void errors.push(error.message));
      await page.goto(link);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL((url) => !url.href.startsWith(link));
      page.on("request", (request) => void requests.push(request.url()));
      await page.goto(address);
      return { page, errors, requests, leave: () => context.close() };
    },
    async close() {
      await browser.close();
      const family = await familyOf(child.pid ?? 0);
      child.kill("SIGTERM");
      killAll(await survivors(family, 8_000));
      await data.remove();
    },
  };
};
