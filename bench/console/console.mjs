/** Section `console`: the console in a real browser, on an instance that `parley start` runs. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { startOwnServer } from "../../packages/database/dist/testing.js";
import { atPace } from "../platform/pace.mjs";
import { withCleanups } from "../platform/cleanups.mjs";
import { measureAdministration } from "./administration.mjs";
import { heapOf, launch, signIn, watchNetwork } from "./browser.mjs";
import { fillAccount, startConsoleInstance } from "./account.mjs";
import { addConversations, importThread, scrollList, scrollThread } from "./scroll.mjs";

/** Targets. @units of the rows */
const TARGETS = {
  scriptKb: 250,
  coldMs: 1_500,
  warmMs: 500,
  latencyMs: 150,
  busyRowMs: 1_500,
  idleRequests: 0,
  heapMb: 150,
  interactionMs: 100,
};
const CONVERSATIONS = 2_000;
/** Messages that are measured in an open conversation, and in the list: single messages, and messages that follow each other. @shape pause: milliseconds */
const OPENED = { count: 100, pause: 50 };
const LISTED = { count: 20, pause: 1_500 };
const LISTED_BUSY = { count: 20, pause: 0 };
const IDLE_MS = 60_000;
const REPLAYED = 50_000;
/** Messages of two threads, of usual length and of great length. */
const THREADS = { short: 1_000, long: 20_000 };
/** Data that is generated for a list of some 100,000 conversations. */
const GENERATED = { users: 50_000, messages: 600_000 };
const PACE = { perSecond: 200, seconds: 20 };
/** Time between two measured interactions. @units milliseconds */
const INTERACTION_GAP_MS = 150;

const quantile = (values, part) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;
const round = (value) => Number(value.toFixed(1));
const rowOf = (name, ours, limit) => ({
  name,
  ours: round(ours),
  limit,
  ratio: limit === 0 ? ours : round(ours / limit),
});

const ROWS = "[role=grid] [role=row]";

/** Time from the navigation to a list with rows that answers to keys. @units milliseconds */
const openInbox = async (page, origin) => {
  const begun = performance.now();
  await page.goto(`${origin}/console/inbox`);
  await page.locator(ROWS).first().waitFor();
  return performance.now() - begun;
};

const measureStart = async ({ browser, state, origin, rounds }) => {
  const [cold, warm] = [[], []];
  let scriptKb = 0;
  for (let index = 0; index < rounds; index++) {
    const context = await browser.newContext({ storageState: state, viewport: { width: 1_440, height: 900 } });
    const page = await context.newPage();
    const network = await watchNetwork(page);
    cold.push(await openInbox(page, origin));
    await wait(1_000);
    scriptKb = network.scriptBytes() / 1_000;
    await page.goto("about:blank");
    warm.push(await openInbox(page, origin));
    await context.close();
  }
  return [
    rowOf("compressed script of the first page, kB", scriptKb, TARGETS.scriptKb),
    rowOf("inbox usable, without cache, ms (median)", quantile(cold, 0.5), TARGETS.coldMs),
    rowOf("inbox usable, with cache, ms (median)", quantile(warm, 0.5), TARGETS.warmMs),
  ];
};

let stamps = 0;

/** -> times from the request of a message to its text on the shown page @units milliseconds @shape pause: after each message */
const timesToScreen = async (page, { count, pause }, write) => {
  await wait(1_000);
  await page.evaluate(() => {
    window.arrivals = {};
    new MutationObserver(() => {
      for (const [stamp] of document.body.innerText.matchAll(/stamp-\d+\./g))
        window.arrivals[stamp] ??= performance.timeOrigin + performance.now();
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  });
  const times = [];
  for (let index = 0; index < count; index++) {
    const text = `stamp-${(stamps += 1)}.`;
    const sent = performance.timeOrigin + performance.now();
    await write(index, text);
    await page.waitForFunction((stamp) => window.arrivals[stamp] !== undefined, text, { polling: 20 });
    times.push((await page.evaluate((stamp) => window.arrivals[stamp], text)) - sent);
    await wait(pause);
  }
  return times;
};

/** Waits until the app has answered all conversations: an answer would take the place of the message in its row. */
const untilSettled = async (page) => {
  const grid = page.getByRole("grid");
  for (let [before, now] = ["", await grid.innerText()]; now !== before; [before, now] = [now, await grid.innerText()])
    await wait(3_000);
};

/** Time from the request of a message to the screen of an agent: in the open conversation, and in the list. */
const measureLatency = async (page, { origin, conversations, write }) => {
  await page.goto(`${origin}/console/inbox`);
  await page.locator(ROWS).first().waitFor();
  await untilSettled(page);
  const writeToAny = (index, text) => write(conversations[index % 20], text);
  const listed = await timesToScreen(page, LISTED, writeToAny);
  const busy = await timesToScreen(page, LISTED_BUSY, writeToAny);
  const [conversation] = conversations;
  await page.goto(`${origin}/console/conversations/${conversation.id}`);
  await page.getByRole("textbox").first().waitFor();
  const times = await timesToScreen(page, OPENED, (_, text) => write(conversation, text));
  return [
    rowOf("API message to the other agent's screen, ms (p95)", quantile(times, 0.95), TARGETS.latencyMs),
    rowOf("API message to the other agent's screen, ms (p50)", quantile(times, 0.5), TARGETS.latencyMs),
    rowOf("API message to its row in the list, ms (p95)", quantile(listed, 0.95), TARGETS.latencyMs),
    rowOf("the same while messages follow each other, ms (p95)", quantile(busy, 0.95), TARGETS.busyRowMs),
  ];
};

const measureIdle = async (page, network) => {
  await wait(3_000);
  const before = network.requests.length;
  await wait(IDLE_MS);
  const sent = network.requests.slice(before);
  if (sent.length > 0) process.stderr.write(`requests of the idle minute:\n${sent.join("\n")}\n`);
  return [rowOf("requests in an idle minute besides the stream", sent.length, TARGETS.idleRequests)];
};

/** Time from a key to the next painted frame, while messages arrive. */
const measureInteraction = async (page, { origin, conversations, write }) => {
  await page.goto(`${origin}/console/inbox`);
  await page.locator(ROWS).first().waitFor();
  await page.evaluate(() => {
    window.delays = [];
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (entry.name === "keydown") window.delays.push(entry.duration);
    }).observe({ type: "event", durationThreshold: 16, buffered: false });
  });
  let isSending = true;
  const sending = atPace(PACE, (index) => write(conversations[index % 50], `load ${index}`)).finally(
    () => (isSending = false),
  );
  let keys = 0;
  while (isSending) {
    await page.keyboard.press(keys % 40 < 20 ? "j" : "k");
    keys += 1;
    await wait(INTERACTION_GAP_MS);
  }
  await sending;
  // Durations are multiples of 8 ms; durations below 16 ms are not reported.
  const reported = await page.evaluate(() => window.delays);
  const delays = [...reported, ...Array.from({ length: Math.max(0, keys - reported.length) }, () => 8)];
  return [
    rowOf(
      `key to painted frame at ${PACE.perSecond} messages a second, ms (p95 of ${keys})`,
      quantile(delays, 0.95),
      TARGETS.interactionMs,
    ),
  ];
};

const measureMemory = async (page, network, { conversations, write, progress }) => {
  const before = await heapOf(network);
  for (let sent = 0; sent < REPLAYED; sent += 100) {
    await Promise.all(
      Array.from({ length: 100 }, (_, index) => write(conversations[(sent + index) % 500], `replay ${sent + index}`)),
    );
    if (sent % 10_000 === 0) progress(`console: ${sent} of ${REPLAYED} events`);
  }
  await wait(5_000);
  const after = await heapOf(network);
  progress(`console: heap before ${round(before / 1e6)} MB, after ${round(after / 1e6)} MB`);
  return [rowOf(`heap of the tab after ${REPLAYED} events, MB`, after / 1e6, TARGETS.heapMb)];
};

/** Frames while scrolling in very long lists and threads; the limit is the same movement in lists and threads of usual length. */
const scrollRows = (name, short, long) => {
  const p95 = ({ times }) => quantile(times, 0.95);
  const blank = ({ times, blank }) => (100 * blank) / times.length;
  return [
    rowOf(`frame while scrolling ${name}, ms (p95)`, p95(long), round(p95(short))),
    rowOf(`frames without content while scrolling ${name}, %`, blank(long), round(blank(short))),
  ];
};

const measureScrolling = async (page, { instance, origin, progress }) => {
  const short = await importThread(instance, THREADS.short);
  const long = await importThread(instance, THREADS.long);
  const thread = [await scrollThread(page, origin, short), await scrollThread(page, origin, long)];
  const list = await scrollList(page, origin);
  progress(`console: ${GENERATED.messages} messages are generated`);
  await addConversations(instance, GENERATED);
  let [before, count] = [-1, 0];
  while (count !== before) {
    before = count;
    await wait(5_000);
    await page.goto(`${origin}/console/inbox?status=all`);
    await page.locator(ROWS).first().waitFor();
    count = Number((await page.locator("h1").innerText()).replaceAll(/\D/g, ""));
    progress(`console: ${count} conversations`);
  }
  const longList = await scrollList(page, origin);
  return [
    ...scrollRows(`a thread of ${THREADS.long} messages`, ...thread),
    ...scrollRows(`a list of ${count} conversations`, list, longList),
  ];
};

/** @shape `[{ name, ours, limit, ratio }]`; limit: the target */
export const measureConsole = ({ rounds, progress, only }) =>
  withCleanups(async (ended) => {
    const folder = await mkdtemp(join(tmpdir(), "parley-bench-"));
    ended(() => rm(folder, { recursive: true, force: true }));
    const server = await startOwnServer({ dataFolder: join(folder, "server"), log: progress });
    ended(() => server.close());
    const instance = await startConsoleInstance({ folder, url: await server.createDatabase("console"), ended });
    progress(`console: ${CONVERSATIONS} conversations`);
    const conversations = await fillAccount(instance, CONVERSATIONS);
    const browser = await launch();
    ended(() => browser.close());
    const state = await signIn(browser, instance.dataFolder);
    const base = { browser, state, origin: instance.origin, conversations, write: instance.write, rounds, progress };
    const open = async () => {
      const context = await browser.newContext({ storageState: state, viewport: { width: 1_440, height: 900 } });
      const page = await context.newPage();
      return { context, page, network: await watchNetwork(page) };
    };
    const parts = {
      start: () => measureStart(base),
      admin: async () => {
        const measured = await measureAdministration(base, { targets: TARGETS, median: (all) => quantile(all, 0.5) });
        return measured.map(({ name, ours, limit }) => rowOf(name, ours, limit));
      },
      live: async () => {
        const { context, page, network } = await open();
        const rows = [...(await measureLatency(page, base)), ...(await measureIdle(page, network))];
        await context.close();
        return rows;
      },
      load: async () => {
        const { context, page } = await open();
        const rows = await measureInteraction(page, base);
        await context.close();
        return rows;
      },
      memory: async () => {
        const { context, page, network } = await open();
        await page.goto(`${base.origin}/console/conversations/${conversations[0].id}`);
        await page.locator(ROWS).first().waitFor();
        const rows = await measureMemory(page, network, base);
        await context.close();
        return rows;
      },
      scroll: async () => {
        const { context, page } = await open();
        const rows = await measureScrolling(page, { ...base, instance });
        await context.close();
        return rows;
      },
    };
    const rows = [];
    for (const [name, measure] of Object.entries(parts)) {
      if (only !== undefined && only !== name) continue;
      progress(`console: ${name}`);
      rows.push(...(await measure()));
    }
    return rows;
  });
