/**
 * `node --conditions=parley-source scripts/screenshots.mjs`: takes the screenshots in docs/images with a real browser, of Concierge after the day
 * that `npm run demo` plays.
 */
import { mkdir } from "node:fs/promises";
import { register } from "node:module";
import { join } from "node:path";
import sharp from "sharp";
import { build } from "./build.mjs";
import { OUTSIDE, play, SETTINGS } from "./demo/story.mjs";
import { root } from "./installed.mjs";

await build();
// Module hooks of the tests, which resolve TypeScript modules and the browser.
register("../test/runner/hooks.mjs", import.meta.url, { data: { folders: [] } });
const { launchBrowser } = await import("../packages/framework/test/support/browser.ts");
const { world } = await import("../packages/framework/dist/testing.js");

const folder = join(root, "docs/images");
await mkdir(folder, { recursive: true });
const [environment, browser] = await Promise.all([
  world({
    folder: root,
    iparams: { ...SETTINGS, sync_out: false, digest: false },
    // No server listens on this port: requests to the other system fail.
    maps: { [OUTSIDE]: "http://127.0.0.1:9" },
  }),
  launchBrowser(),
]);
const openPage = async (options) => {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  return page;
};
/** Saves a screenshot with a colour palette, which keeps the file below 150 kB. */
const save = async (name, page, options) => {
  const path = join(folder, `${name}.png`);
  const { size } = await sharp(await page.screenshot(options))
    .png({ palette: true, quality: 95, effort: 10 })
    .toFile(path);
  console.log(`${path}: ${size} bytes`);
};
/** A field of the installation page with its label and hint. */
const fieldOf = (page, key) => page.locator(`[data-field]:has(#${key})`);

/** Plays the day of the demo. -> ids of the conversations by the customer's name */
const playDay = async () => {
  const conversations = new Map();
  const ignore = async () => undefined;
  const { agents } = await environment.api.agents.listAgents({ query: { items_per_page: 1 } });
  await play(
    environment,
    {
      begin: async () => ({ agent: agents[0].id }),
      follow: (id, name) => void (conversations.has(name) || conversations.set(name, id)),
      chapter: ignore,
      line: ignore,
      printNews: ignore,
    },
    () => false,
  );
  return conversations;
};

const installationPage = async () => {
  const page = await openPage({ viewport: { width: 900, height: 900 } });
  await page.goto(environment.installPage);
  await page.getByText("Welcome message", { exact: true }).first().waitFor();
  await page.waitForLoadState("networkidle");
  await save("concierge-installation", page);

  await page.fill("#try_message", "I'd like my money back, please");
  await page.keyboard.press("Tab");
  await fieldOf(page, "try_message").getByText("Billing").first().waitFor();
  await fieldOf(page, "rules").evaluate((element) => element.scrollIntoView({ block: "start" }));
  const from = await fieldOf(page, "rules").boundingBox();
  const to = await fieldOf(page, "try_message").boundingBox();
  const clip = { x: 150, y: Math.max(0, from.y - 8), width: 600, height: to.y + to.height - from.y + 16 };
  await save("concierge-rules", page, { clip });
};

/** Opens the agent's page with one conversation and Concierge's panel. */
const conversationPage = async (conversation, options) => {
  const page = await openPage(options);
  await page.goto(`${new URL(environment.page).origin}/?conversation=${conversation}`);
  const panel = page.frameLocator(".place-view.sidebar iframe");
  await panel.getByText("Routed to Support").first().waitFor();
  await panel.getByText("Looking up").waitFor({ state: "hidden" });
  return page;
};

try {
  const conversations = await playDay();
  await installationPage();

  const page = await conversationPage(conversations.get("Ada"), { viewport: { width: 1200, height: 800 } });
  await page.getByText("Hello!").first().scrollIntoViewIfNeeded();
  await save("conversation", page);

  for (const colorScheme of ["light", "dark"]) {
    const page = await conversationPage(conversations.get("Ada"), {
      viewport: { width: 1100, height: 760 },
      colorScheme,
    });
    // The conversation and the panel, without the list of conversations.
    const clip = { x: 256, y: 128, width: 844, height: 632 };
    await save(`concierge-panel-${colorScheme}`, page, { clip });
  }
} finally {
  await Promise.all([environment.close(), browser.close()]);
}
process.exit(0);
