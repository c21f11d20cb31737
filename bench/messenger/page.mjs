/** Lighthouse's score of a page with the messenger and of the same page without it, in turns. */
import { createServer } from "node:http";
import { launch } from "../console/browser.mjs";
import { median } from "../median.mjs";
import { ensurePeers } from "../peers.mjs";

/** Runs of each page, by Lighthouse's recommendation for its spread. */
const RUNS = 5;

/** A page with little on it: nothing else moves its score. The snippet is that of the integrators' guide. */
const pageOf = (snippet) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Shop</title>
<link rel="icon" href="data:,">${snippet}</head><body><h1>Shop</h1><p>Good things.</p></body></html>`;

const listen = async (server) => {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server.address().port;
};

const freePort = async () => {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
};

/** @shape `{ score: { with, without }, difference, shift }`; medians of the runs, difference: of the scores; shift: the largest with the messenger */
export const measurePage = async ({ origin, ended, progress }) => {
  ensurePeers(progress);
  const { default: lighthouse } = await import("lighthouse");
  const snippet = `<script src="${origin}/js/widget.js?account=acme" chat="true" async></script>`;
  const server = createServer(({ url }, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end(pageOf(url === "/with" ? snippet : "")),
  );
  const site = `http://127.0.0.1:${await listen(server)}`;
  ended(() => new Promise((resolve) => server.close(resolve)));
  const port = await freePort();
  // A browser of its own, which listens for Lighthouse.
  const browser = await launch([`--remote-debugging-port=${port}`]);
  ended(() => browser.close());
  const results = { with: [], without: [] };
  const run = async (side) => {
    const { lhr } = await lighthouse(`${site}/${side}`, { port, onlyCategories: ["performance"], logLevel: "silent" });
    if (lhr.runtimeError) throw new Error(`Lighthouse: ${lhr.runtimeError.message}`);
    const requests = lhr.audits["network-requests"].details.items.map(({ url }) => url);
    if (requests.some((url) => url.includes("/messenger/api/configuration")) !== (side === "with"))
      throw new Error(`The page ${side} the messenger sent ${requests.join(", ")}`);
    return { score: lhr.categories.performance.score * 100, shift: lhr.audits["cumulative-layout-shift"].numericValue };
  };
  // The first run starts the browser's processes and is not counted.
  await run("without");
  for (let index = 0; index < RUNS; index++)
    for (const side of index % 2 ? ["with", "without"] : ["without", "with"]) {
      const result = await run(side);
      results[side].push(result);
      progress(`messenger: page ${side} it: score ${result.score.toFixed(0)}, layout shift ${result.shift.toFixed(3)}`);
    }
  const scoreOf = (side) => median(results[side].map(({ score }) => score));
  return {
    score: { with: scoreOf("with"), without: scoreOf("without") },
    difference: Math.abs(scoreOf("with") - scoreOf("without")),
    shift: Math.max(...results.with.map(({ shift }) => shift)),
  };
};
