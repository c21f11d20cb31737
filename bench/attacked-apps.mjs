/** A process that hosts two apps: one that floods the log, and one that is called at intervals. Replies to messages with the durations of these measureCalls. */
import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startRunner } from "../packages/framework/dist/index.js";

const fileOf = (name) => fileURLToPath(new URL(name, import.meta.url));
const PAUSE_MS = 10;

const [normalApp, attackingApp] = await Promise.all([
  startRunner({ folder: fileOf("handler-app") }),
  startRunner({ folder: fileOf("attack-app") }),
]);
await normalApp.call("answer", { text: "Hello" });

/** Calls the well-behaved app repeatedly for `ms`. -> durations of the calls @units milliseconds */
const measureCalls = async (ms) => {
  const times = [];
  for (const end = performance.now() + ms; performance.now() < end;) {
    const begun = performance.now();
    await normalApp.call("answer", { text: "Hello" });
    times.push(performance.now() - begun);
    await wait(PAUSE_MS);
  }
  return times;
};

process.send({ ready: true });
process.on("message", async (message) => {
  if (message === "end") return process.exit();
  const [name, ms] = message.split(" ");
  if (name !== "nothing") attackingApp.call(name, {}).catch(() => undefined);
  process.send(await measureCalls(Number(ms)));
});
