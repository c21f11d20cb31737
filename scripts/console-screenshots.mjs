/**
 * `node scripts/console-screenshots.mjs`: takes the screenshots of the console in docs/images with a real browser, on an instance that it starts with
 * customers who have written.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { register } from "node:module";
import { spawn, execFile } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import sharp from "sharp";
import { build } from "./build.mjs";
import { fillAccount } from "./demo/console-story.mjs";
import { root } from "./installed.mjs";

if (process.argv.includes("--help")) {
  console.log(
    "node scripts/console-screenshots.mjs: writes docs/images/console-*.png. It starts an instance of its own and ends it.",
  );
  process.exit();
}

await build();
// Module hooks of the tests, which load TypeScript modules.
register("../test/runner/hooks.mjs", import.meta.url, { data: { folders: [] } });
const { launchBrowser } = await import("../packages/framework/test/browser.ts");

const BIN = join(root, "packages/parley/bin/parley.mjs");
const data = await mkdtemp(join(tmpdir(), "parley-screenshots-"));
const child = spawn(process.execPath, [BIN, "start", "--json"], {
  cwd: root,
  env: {
    ...process.env,
    PARLEY_DATA: data,
    PARLEY_SERVICE_PORT: "0",
    PARLEY_APP_PORT: "0",
    PARLEY_CALLS_PER_HOUR: "1000000",
  },
  stdio: ["ignore", "pipe", "inherit"],
});
const ended = once(child, "close");
const browser = await launchBrowser();

/** Saves a screenshot with a colour palette, which keeps the file small. */
const save = async (page, name) => {
  // The pointer and what appears only for a moment are no part of a picture.
  await page.mouse.move(0, 0);
  const path = join(root, "docs/images", `${name}.png`);
  const { size } = await sharp(await page.screenshot())
    .png({ palette: true, quality: 90, effort: 10 })
    .toFile(path);
  console.log(`${path}: ${size} bytes`);
};

try {
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const { service, token, console: address } = JSON.parse(line);
  const { origin } = new URL(address);
  const shown = await fillAccount({ service, token });
  const { stdout } = await promisify(execFile)(process.execPath, [BIN, "sign-in", "--account", "acme", "--json"], {
    env: { ...process.env, PARLEY_DATA: data },
  });
  const first = await browser.newContext({ reducedMotion: "reduce", locale: "en-GB" });
  const entry = await first.newPage();
  await entry.goto(JSON.parse(stdout).link);
  await entry.getByRole("button", { name: "Sign in" }).click();
  await entry.waitForURL("**/console/**");
  const storageState = await first.storageState();

  const open = async (path, options) => {
    const context = await browser.newContext({ reducedMotion: "reduce", locale: "en-GB", storageState, ...options });
    const page = await context.newPage();
    await page.goto(origin + path);
    return page;
  };
  const WIDE = { viewport: { width: 1_440, height: 900 } };
  const conversation = `/console/conversations/${shown}`;
  const ready = async (page, text) => {
    await page.getByText(text).first().waitFor();
    // Frames of apps and pictures follow.
    await page.waitForTimeout(1_500);
    return page;
  };
  await save(await ready(await open(conversation, WIDE), "Perfect, thanks a lot"), "console-conversation");
  await save(
    await ready(await open(conversation, { ...WIDE, colorScheme: "dark" }), "Perfect, thanks a lot"),
    "console-conversation-dark",
  );
  const NARROW = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 };
  await save(await ready(await open("/console/inbox", NARROW), "Sam Rivera"), "console-narrow");
  await save(await ready(await open("/console/search?q=jacket", WIDE), "jacket"), "console-search");
} finally {
  await browser.close();
  child.kill("SIGTERM");
  await ended;
  await rm(data, { recursive: true, force: true });
}
