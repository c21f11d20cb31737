/**
 * `node scripts/console-screenshots.mjs`: takes the screenshots of the console and of its administration in docs/images with a real browser, on
 * instances that it starts with data of a small company.
 */
import { register } from "node:module";
import { build } from "./build.mjs";
import { pictureAdministration, pictureFirstDay } from "./screenshots/admin-pictures.mjs";
import { fillAdministration } from "./screenshots/admin-story.mjs";
import { pictureBothSides } from "./screenshots/both-sides.mjs";
import { fillAccount } from "./screenshots/console-story.mjs";
import { savePicture, WIDE, withPicturedInstance } from "./screenshots/pictured-instance.mjs";

const USAGE = `node scripts/console-screenshots.mjs [console|both-sides|admin]: writes docs/images/console-*.png, docs/images/both-sides.png,
docs/images/admin-*.png, or all of them.
It starts instances of its own and ends them.`;

const pictureConsole = async (instance) => {
  const conversation = `/console/conversations/${await fillAccount(instance)}`;
  const picture = async (name, path, text, options) => {
    const page = await instance.open(path, options);
    await page.getByText(text).first().waitFor();
    // Frames of apps and pictures follow.
    await page.waitForTimeout(1_500);
    await savePicture(page, name);
  };
  await picture("console-conversation", conversation, "Perfect, thanks a lot", WIDE);
  await picture("console-conversation-dark", conversation, "Perfect, thanks a lot", { ...WIDE, colorScheme: "dark" });
  const narrow = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 };
  await picture("console-narrow", "/console/inbox", "Sam Rivera", narrow);
  await picture("console-search", "/console/search?q=jacket", "jacket", WIDE);
};

const TASKS = {
  console: (launchBrowser) => withPicturedInstance(launchBrowser, pictureConsole),
  "both-sides": (launchBrowser) => withPicturedInstance(launchBrowser, pictureBothSides),
  admin: (launchBrowser) =>
    withPicturedInstance(
      launchBrowser,
      async (instance) => {
        // The first steps are pictured before they are done.
        await pictureFirstDay(instance);
        const story = await fillAdministration(instance);
        try {
          await pictureAdministration(instance, story);
        } finally {
          await story.stop();
        }
      },
      { args: ["--no-install"], env: { PARLEY_WEBHOOK_RETRIES: "1s" } },
    ),
};

const [named] = process.argv.slice(2);
if (named !== undefined && !Object.hasOwn(TASKS, named)) {
  console.log(USAGE);
  process.exit(named === "--help" ? 0 : 1);
}
await build();
// Module hooks of the tests, which load TypeScript modules.
register("../test/runner/hooks.mjs", import.meta.url, { data: { folders: [] } });
const { launchBrowser } = await import("../packages/framework/test/support/browser.ts");
for (const task of named === undefined ? Object.values(TASKS) : [TASKS[named]]) await task(launchBrowser);
