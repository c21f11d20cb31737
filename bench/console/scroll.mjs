/** Scrolling in lists and threads: the same movement at usual length and at great length. */
import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const BIN = join(fileURLToPath(new URL("../..", import.meta.url)), "packages/parley/bin/parley.mjs");
const MOVES = 160;
/** @units milliseconds */
const MOVE_INTERVAL_MS = 50;
/** @units pixels */
const MOVE_PX = 400;

/** Adds conversations to the account acme: one for six messages. */
export const addConversations = ({ dataFolder, url }, { users, messages }) =>
  promisify(execFile)(
    process.execPath,
    [BIN, "load", "--account", "acme", "--users", String(users), "--messages", String(messages), "--json"],
    { env: { ...process.env, PARLEY_DATA: dataFolder, DATABASE_URL: url } },
  );

/** Imports a conversation of acme. -> its id */
export const importThread = async ({ dataFolder, url, call }, messages) => {
  const id = randomUUID();
  const { channels } = await call("GET", "/channels");
  const start = Date.now() - 30 * 86_400_000;
  const at = (index) => new Date(start + index * 60_000).toISOString();
  const record = (values) => `${JSON.stringify(values)}\n`;
  const child = spawn(process.execPath, [BIN, "import", "-", "--json"], {
    stdio: ["pipe", "ignore", "pipe"],
    env: { ...process.env, PARLEY_DATA: dataFolder, DATABASE_URL: url },
  });
  let errors = "";
  child.stderr.on("data", (chunk) => (errors += chunk));
  const user_id = `user ${id}`;
  child.stdin.write(record({ type: "account", name: "acme" }));
  child.stdin.write(record({ type: "user", id: user_id, first_name: "Long", created_time: at(0) }));
  const head = { conversation_id: id, channel_id: channels[0].id, user_id, created_time: at(1) };
  child.stdin.write(record({ type: "conversation", ...head }));
  for (let index = 0; index < messages; index++) {
    const by = index % 2 ? { actor_type: "bot" } : { actor_type: "user", actor_id: user_id };
    const content = `Message ${index}. ${"The parcel has not arrived yet, and nobody answers. ".repeat(1 + (index % 4))}`;
    const parts = { message_parts: [{ text: { content } }], created_time: at(index + 2) };
    child.stdin.write(record({ type: "message", id: `${id} ${index}`, conversation_id: id, ...by, ...parts }));
  }
  child.stdin.end();
  const [status] = await once(child, "close");
  if (status !== 0) throw new Error(`parley import: ${errors}`);
  return id;
};

/** Notes the time between painted frames, and whether there was something to read in the middle. */
const watchFrames = (element) => {
  const { left, top, width, height } = element.getBoundingClientRect();
  window.frames = { times: [], blank: 0 };
  let last;
  const tick = (now) => {
    if (!window.frames) return;
    if (last !== undefined) window.frames.times.push(now - last);
    last = now;
    const middle = document.elementFromPoint(left + width / 2, top + height / 2);
    if (!middle?.closest("[role=row], [data-index]")) window.frames.blank += 1;
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
};

/**
 * Turns the wheel over an element, steadily.
 * @shape `{ times, blank }`; times: between frames, in milliseconds; blank: frames without any content in the middle
 */
const scrollThrough = async (page, locator, direction) => {
  const { x, y, width, height } = await locator.boundingBox();
  await page.mouse.move(x + width / 2, y + height / 2);
  await locator.evaluate(watchFrames);
  for (let move = 0; move < MOVES; move++) {
    const begun = performance.now();
    await page.mouse.wheel(0, direction * MOVE_PX);
    await wait(Math.max(0, MOVE_INTERVAL_MS - (performance.now() - begun)));
  }
  return page.evaluate(() => {
    const { frames } = window;
    delete window.frames;
    return frames;
  });
};

export const scrollList = async (page, origin) => {
  await page.goto(`${origin}/console/inbox?status=all`);
  const grid = page.getByRole("grid");
  await grid.getByRole("row").nth(5).waitFor();
  await wait(2_000);
  return scrollThrough(page, grid, 1);
};

export const scrollThread = async (page, origin, id) => {
  await page.goto(`${origin}/console/conversations/${id}`);
  const thread = page.getByRole("region", { name: "Messages of the conversation" });
  await thread.getByText("The parcel has not arrived yet").last().waitFor();
  await wait(2_000);
  return scrollThrough(page, thread, -1);
};
