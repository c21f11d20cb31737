import { writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { launchBrowser } from "../../framework/test/support/browser.ts";
import { parley } from "../../../test/support/parley-process.ts";
import { startServe, type ServeHarness } from "./serve-harness.ts";

/** A page of a signed-in agent. */
interface AgentVisit {
  readonly page: Page;
  /** Errors of the console, oldest first. */
  readonly errors: string[];
  /** Addresses that the page and its frames requested after the sign-in. */
  readonly requests: string[];
  leave(): Promise<void>;
}

/** `parley serve --demo` with a browser, for pages of published apps on the account acme. */
export interface AppPageHarness extends ServeHarness {
  /** Runs a command as a shell does. @errors Error if it fails -> its standard output */
  run(...args: readonly string[]): Promise<string>;
  /** Writes values of parameters. -> path of the file */
  values(iparams: object): Promise<string>;
  /** Address of the installation page of an app. */
  pageOf(app: string, query?: string): string;
  /** Signs an agent in by a link and opens the address. @shape email: the first admin when absent; account: acme when absent */
  visit(address: string, email?: string, options?: BrowserContextOptions, account?: string): Promise<AgentVisit>;
}

const freePort = async (): Promise<number> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

export const appPageHarness = async (args: readonly string[] = []): Promise<AppPageHarness> => {
  // The service has to know the origin of apps when it starts.
  const port = await freePort();
  const appsHost = `apps.localhost:${port}`;
  const [serve, browser] = await Promise.all([
    startServe(["--app-port", String(port), ...args], { PARLEY_APPS_URL: `http://${appsHost}` }),
    launchBrowser(),
  ]);
  const run = async (...command: readonly string[]): Promise<string> => {
    const { status, stdout, stderr } = await parley(command, { env: { PARLEY_DATA: serve.dataFolder } });
    if (status !== 0) throw new Error(`parley ${command.join(" ")}: ${stderr}${serve.output.stderr}`);
    return stdout;
  };
  return {
    ...serve,
    run,
    async values(iparams) {
      const file = join(serve.dataFolder, "values.json");
      await writeFile(file, JSON.stringify(iparams));
      return file;
    },
    pageOf: (app, query = "") => `http://${app}--acme.${appsHost}/custom_configs${query}`,
    async visit(address, email, options = {}, account = "acme") {
      const byEmail = email === undefined ? [] : ["--email", email];
      const { link } = JSON.parse(await run("sign-in", "--account", account, "--json", ...byEmail)) as { link: string };
      const context = await browser.newContext({ reducedMotion: "reduce", ...options });
      const page = await context.newPage();
      const errors: string[] = [];
      const requests: string[] = [];
      await page.goto(link);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL((url) => !url.pathname.startsWith("/sign-in/link"));
      page.on("console", (message) => void (message.type() === "error" && errors.push(message.text())));
      page.on("pageerror", (error) => void errors.push(error.message));
      page.on("request", (request) => void requests.push(request.url()));
      await page.goto(address);
      return { page, errors, requests, leave: () => context.close() };
    },
    async stop() {
      await browser.close();
      return serve.stop();
    },
  };
};
