/** `npm run demo`: plays a day of a small business with Concierge, on a temporary service and app host, and prints a transcript. */
import { createServer } from "node:http";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { ensureInstalled, root } from "./installed.mjs";

const HELP = `npm run demo [-- --exit] [--quick]: plays an hour of a small business, and the night after it, with a faster clock.

Prints all messages, and what Concierge did and why, on the real service, app host and app. The instance then stays open to explore: the
agent's page with Concierge next to each conversation, the installation page, the API. Press Ctrl-C to end; all data is temporary.

  --exit     exit after the script
  --quick    without pauses for reading`;

const { values } = parseArgs({
  options: { exit: { type: "boolean" }, quick: { type: "boolean" }, help: { type: "boolean" } },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
ensureInstalled();
const { build } = await import("./build.mjs");
await build();
const { world } = await import("../packages/framework/dist/testing.js");
const { play, SETTINGS, OUTSIDE } = await import("./demo/story.mjs");
const { transcript } = await import("./demo/transcript.mjs");

/** Server in the role of the business's own system, which receives Concierge's webhooks. */
async function openOutside() {
  const webhooks = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      webhooks.push({ path: request.url, body });
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { webhooks, origin: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

let isOver = false;
const interrupted = new Promise((resolve) => {
  for (const signal of ["SIGINT", "SIGTERM"])
    process.on(signal, () => {
      isOver = true;
      resolve();
    });
});
const outside = await openOutside();
let w;
try {
  console.log("Starting the service, the app host and Concierge …");
  const opening = world({ folder: root, iparams: SETTINGS, maps: { [OUTSIDE]: outside.origin } });
  w = await opening;
  const playing = play(
    w,
    transcript(w, outside.webhooks, { pause: values.quick || values.exit ? 0 : 700 }),
    () => isOver,
  );
  await Promise.race([playing, interrupted]);
  if (!isOver && !values.exit) {
    // After the script the clock runs in real time.
    await w.clock.run();
    console.log(`
  The agent's page      ${w.page}  with Concierge next to each conversation
  Installation page     ${w.installPage}
  Service               ${w.url}
  API key               ${w.token}

  Press Ctrl-C to end. All data is temporary.`);
    await interrupted;
  }
  // Requests that were interrupted by the end may fail.
  await playing.catch((error) => {
    if (!isOver) throw error;
  });
} finally {
  await w?.close();
  outside.close();
}
// Exits at once, because libraries may keep handles open.
process.exit(process.exitCode ?? 0);
