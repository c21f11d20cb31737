/** Pages of the console's administration: size, time until a page is usable, and requests of an idle page. */
import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { watchNetwork } from "./browser.mjs";

const WIDE = { viewport: { width: 1_440, height: 900 } };
const IDLE_MS = 60_000;
const OVERVIEW = "/console/admin";
const MENU = { name: "Pages of the administration" };

/** Time from the navigation to a page whose data is shown. @units milliseconds */
const openPage = async (page, address) => {
  const begun = performance.now();
  await page.goto(address);
  // The title is shown at once, the data replaces the spinner.
  await page.waitForFunction(() => {
    const main = document.querySelector("main");
    return main?.querySelector("h1") && !main.querySelector("[role=status]:has(.visually-hidden)");
  });
  return performance.now() - begun;
};

/** -> paths of the pages that the menu of the administration lists */
const listPages = async (page, origin) => {
  await openPage(page, origin + OVERVIEW);
  const links = page.getByRole("navigation", MENU).getByRole("link");
  const paths = await links.evaluateAll((found) => found.map(({ pathname }) => pathname));
  return [...new Set([OVERVIEW, ...paths])];
};

const largest = (measured, key) => measured.reduce((most, each) => (each[key] > most[key] ? each : most));

/** -> `[{ name, ours, limit }]`: the page with the largest value for each target, which is that of the first page */
export const measureAdministration = async ({ browser, state, origin, rounds, progress }, { targets, median }) => {
  const first = await browser.newContext({ ...WIDE, storageState: state });
  const paths = await listPages(await first.newPage(), origin);
  await first.close();
  const measured = [];
  for (const path of paths) {
    const [cold, warm] = [[], []];
    let scriptKb = 0;
    for (let round = 0; round < rounds; round++) {
      const context = await browser.newContext({ ...WIDE, storageState: state });
      const page = await context.newPage();
      const network = await watchNetwork(page);
      cold.push(await openPage(page, origin + path));
      await wait(500);
      scriptKb = network.scriptBytes() / 1_000;
      await page.goto("about:blank");
      warm.push(await openPage(page, origin + path));
      await context.close();
    }
    measured.push({ path, scriptKb, cold: median(cold), warm: median(warm) });
    progress(
      `console: ${path}: ${scriptKb.toFixed(0)} kB, ${median(cold).toFixed(0)} ms, ${median(warm).toFixed(0)} ms`,
    );
  }

  const context = await browser.newContext({ ...WIDE, storageState: state });
  const requests = [];
  for (const path of paths) {
    const page = await context.newPage();
    requests.push((await watchNetwork(page)).requests);
    await openPage(page, origin + path);
  }
  await wait(5_000);
  const before = requests.map(({ length }) => length);
  await wait(IDLE_MS);
  const sent = paths.flatMap((path, index) =>
    requests[index].slice(before[index]).map((request) => `${path}: ${request}`),
  );
  if (sent.length > 0) process.stderr.write(`requests of the idle minute:\n${sent.join("\n")}\n`);
  await context.close();

  const [script, cold, warm] = ["scriptKb", "cold", "warm"].map((key) => largest(measured, key));
  return [
    {
      name: `compressed script of ${script.path}, kB (largest of ${paths.length} pages)`,
      ours: script.scriptKb,
      limit: targets.scriptKb,
    },
    { name: `${cold.path} usable, without cache, ms (slowest median)`, ours: cold.cold, limit: targets.coldMs },
    { name: `${warm.path} usable, with cache, ms (slowest median)`, ours: warm.warm, limit: targets.warmMs },
    {
      name: `requests of ${paths.length} open pages of the administration in an idle minute`,
      ours: sent.length,
      limit: targets.idleRequests,
    },
  ];
};
