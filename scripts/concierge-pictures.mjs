/** `node scripts/concierge-pictures.mjs`: takes the pictures of docs/concierge.md, of Concierge after the day that the demo tells. */
import { mkdir, stat } from "node:fs/promises";
import { register } from "node:module";
import { join } from "node:path";
import { build } from "./build.mjs";
import { OUTSIDE, play, SETTINGS } from "./demo/story.mjs";
import { root } from "./installed.mjs";

await build();
// The tests' browser is found in the tests' way.
register("../test/runner/hooks.mjs", import.meta.url, { data: { folders: [] } });
const { launchBrowser } = await import("../packages/framework/test/browser.ts");
const { world } = await import("../packages/framework/dist/testing.js");

const folder = join(root, "docs/images");
await mkdir(folder, { recursive: true });
const [w, browser] = await Promise.all([
  // Nobody is told anything: what would go to the other system fails.
  world({
    folder: root,
    iparams: { ...SETTINGS, sync_out: false, digest: false },
    maps: { [OUTSIDE]: "http://127.0.0.1:9" },
  }),
  launchBrowser(),
]);
const pageOf = async (options) => {
  const context = await browser.newContext({ reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  return page;
};
const taken = async (name, take) => {
  const path = join(folder, `${name}.png`);
  await take(path);
  console.log(`${path}: ${(await stat(path)).size} bytes`);
};
/** A field of the installation page, with its label and what is said of it. */
const field = (page, key) => page.locator(`[data-field]:has(#${key})`);

try {
  const conversations = new Map();
  const silent = async () => undefined;
  const { agents } = await w.api.agents.listAgents({ query: { items_per_page: 1 } });
  await play(
    w,
    {
      begin: async () => ({ agent: agents[0].id }),
      follow: (id, name) => void (conversations.has(name) || conversations.set(name, id)),
      chapter: silent,
      line: silent,
      tell: silent,
    },
    () => false,
  );

  const page = await pageOf({ viewport: { width: 900, height: 900 } });
  await page.goto(w.installPage);
  await page.getByText("Welcome message", { exact: true }).first().waitFor();
  await page.waitForLoadState("networkidle");
  await taken("concierge-installation", (path) => page.screenshot({ path }));

  await page.fill("#try_message", "I'd like my money back, please");
  await page.keyboard.press("Tab");
  await field(page, "try_message").getByText("Billing").first().waitFor();
  await field(page, "rules").evaluate((element) => element.scrollIntoView({ block: "start" }));
  const [from, to] = [await field(page, "rules").boundingBox(), await field(page, "try_message").boundingBox()];
  const clip = { x: 150, y: Math.max(0, from.y - 8), width: 600, height: to.y + to.height - from.y + 16 };
  await taken("concierge-rules", (path) => page.screenshot({ path, clip }));

  for (const colorScheme of ["light", "dark"]) {
    const desk = await pageOf({ viewport: { width: 1100, height: 760 }, colorScheme });
    await desk.goto(`${new URL(w.page).origin}/?conversation=${conversations.get("Ada")}`);
    const panel = desk.frameLocator(".seat.sidebar iframe");
    await panel.getByText("Routed to Support").first().waitFor();
    await panel.getByText("Looking up").waitFor({ state: "hidden" });
    // The conversation and the panel, without the list beside them.
    const beside = { x: 256, y: 128, width: 844, height: 632 };
    await taken(`concierge-panel-${colorScheme}`, (path) => desk.screenshot({ path, clip: beside }));
  }
} finally {
  await Promise.all([w.close(), browser.close()]);
}
process.exit(0);
