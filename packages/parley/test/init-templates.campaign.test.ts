import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../../framework/test/support/browser.ts";
import { accessibilityViolations } from "../../framework/test/front/front-fixture.ts";
import { parley, ROOT, startParley, temporaryFolder } from "../../../test/support/parley-process.ts";
import { sampleRows } from "../../../test/support/campaign.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

/** Each template of `parley init` validates, packs, passes its own tests on a real service, and has pages that work in a browser. */

jest.setTimeout(180_000);

const temporary = fileFixture(() => temporaryFolder("parley-templates-"));

const listed = await parley(["init", "--list", "--json"]);
const { templates } = JSON.parse(listed.stdout) as { templates: { name: string; description: string }[] };

test("parley init --list prints each template with its purpose and creates nothing", async () => {
  const { status, stdout } = await parley(["init", "--list"], { cwd: temporary.folder });
  expect(status).toBe(0);
  const [heading = "", ...rows] = stdout.trim().split("\n");
  expect(heading).toMatch(/^template +what it creates$/);
  expect(rows.map((row) => row.split(/ {2,}/))).toEqual(
    templates.map(({ name, description }, index) => [name, index === 0 ? `${description} The default.` : description]),
  );
  expect(templates.map(({ name }) => name)).toEqual([
    ...["greeter", "javascript", "events", "page", "bundler", "parameters", "installation-page", "oauth"],
  ]);
});

test("parley init prints the folder quoted for a shell", async () => {
  const { stdout } = await parley(["init", "it's mine", "--name", "mine"], { cwd: temporary.folder });
  const line = stdout.split("\n").find((each) => each.startsWith("  cd ")) ?? "";
  const shell = spawnSync("sh", ["-c", `${line} && pwd`], { cwd: temporary.folder, encoding: "utf8" });
  expect(shell.stdout.trim()).toMatch(/\/it's mine$/);
});

const folderOf = (name: string) => join(temporary.folder, name);

/** Runs a program in the folder of an app; on failure, its output is the message. */
const succeed = (name: string, [file = "", ...args]: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(file, args, { cwd: folderOf(name), encoding: "utf8" });
  if (status !== 0) throw new Error(`${file} ${args.join(" ")} ended with ${status}:\n${stdout}${stderr}`);
};
const TSC = [process.execPath, join(ROOT, "node_modules/typescript-native/bin/tsc"), "--noEmit"];

describe.each(templates)("the template $name of parley init", ({ name, description }) => {
  beforeAll(async () => {
    const { status, stdout, stderr } = await parley(["init", name, "--template", name], { cwd: temporary.folder });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    // The printed steps between `cd` and `npx parley run`. The command itself is that of this repository.
    const steps = stdout.slice(stdout.indexOf("Next:")).match(/^ {2}npm .*$/gm) ?? [];
    for (const step of steps)
      succeed(
        name,
        step
          .trim()
          .replace(/^npm install .*/, "npm install")
          .split(" "),
      );
  });

  test("validates without findings, compiles and packs", async () => {
    const validated = await parley(["validate", "--json", folderOf(name)]);
    expect(JSON.parse(validated.stdout)).toEqual({ findings: [] });
    const isScript = existsSync(join(folderOf(name), "jsconfig.json"));
    succeed(name, [...TSC, "-p", isScript ? "jsconfig.json" : "tsconfig.json"]);
    const packed = await parley(["pack"], { cwd: folderOf(name) });
    expect(packed.stdout).toContain(`Packed dist/${name}.zip`);
    expect(description).toMatch(/^[A-Z].*\.$/);
  });
});

test.each(sampleRows(templates, 2))(
  "the template $name of parley init is installed on a local service by its own tests",
  async ({ name }) => {
    const { status, stdout, stderr } = await parley(["test", "--json", folderOf(name)]);
    expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({ tests: { failed: 0 } });
  },
);

describe("in a browser,", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());

  /** Runs the app of a template with `parley run`, and ends it. @shape options: of the command */
  async function withRunning(
    name: string,
    options: readonly string[],
    use: (running: Awaited<ReturnType<typeof startParley>>, chat: (text: string) => Promise<string>) => Promise<void>,
  ): Promise<void> {
    const data = await temporaryFolder();
    const command = [process.execPath, join(ROOT, "packages/parley/bin/parley.mjs"), "run", "--json", ...options];
    const running = await startParley(data.folder, { folder: folderOf(name), wrapCommand: () => command });
    try {
      await use(
        running,
        async (text) => (await parley(["chat", "--once", text], { env: { PARLEY_DATA: data.folder } })).stdout,
      );
    } finally {
      await running.stop();
      await data.remove();
    }
  }

  const openPage = async (address: string) => {
    const page = await (await browser.newContext({ bypassCSP: true })).newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(address);
    return page;
  };

  test.each(sampleRows(["bundler", "greeter", "javascript", "page"], 2))(
    "the page of the template %s shows agents the customer of the open conversation",
    async (name) => {
      await withRunning(name, ["--install"], async (running, chat) => {
        await chat("Where is my order?");
        const page = await openPage(running.app);
        await page.locator("[data-messages]").getByText("Where is my order?").waitFor();
        await page.frameLocator("iframe").getByText("Sam").waitFor();
        expect(await accessibilityViolations(page)).toEqual([]);
      });
    },
  );

  test("the page of the template installation-page checks its fields, installs the app, and keeps the stored key", async () => {
    await withRunning("installation-page", [], async (running, chat) => {
      const page = await openPage(running.installPage);
      const own = page.frameLocator("iframe[data-own]");
      const save = (name: string) => page.getByRole("button", { name }).click();
      await own.getByLabel("API key").waitFor();
      await save("Install");
      await own.getByText("Enter the API key.").waitFor();
      await own.getByLabel("API key").fill(running.token);
      await own.getByRole("button", { name: "Add a reply" }).click();
      await save("Install");
      await own.getByText("Each reply needs a word and a text.").waitFor();
      const added = own.getByRole("group", { name: "Reply 2" });
      await added.getByLabel("Word").fill("colour");
      await added.getByLabel("Text").fill("It is blue.");
      await save("Install");
      await page.getByRole("button", { name: "Save changes" }).waitFor();
      expect(await chat("Which colour is it?")).toContain("It is blue.");
      await page.reload();
      await own.getByText("A key is stored.").waitFor();
      await added.getByLabel("Text").fill("It is green.");
      await save("Save changes");
      await page.locator("[data-notice]").getByText("successfully stored").waitFor();
      expect(await chat("Which colour is it?")).toContain("It is green.");
    });
  });
});
