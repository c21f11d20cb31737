/** An instance as `npm start` runs it, and an account with conversations. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { messageBody } from "../platform/instance.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BIN = join(ROOT, "packages/parley/bin/parley.mjs");
/** Conversations that are created at the same time. */
const PARALLEL = 20;

/** @shape ended: receives the function that ends it */
export const startConsoleInstance = async ({ folder, url, ended }) => {
  const dataFolder = join(folder, "data");
  const child = spawn(process.execPath, [BIN, "start", "--json"], {
    cwd: ROOT,
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
    env: {
      ...process.env,
      ...{ DATABASE_URL: url, PARLEY_DATA: dataFolder, PARLEY_SERVICE_PORT: "0", PARLEY_APP_PORT: "0" },
      PARLEY_SHOP_PORT: "0",
      PARLEY_CALLS_PER_HOUR: "1000000000",
    },
  });
  const exited = once(child, "close");
  ended(async () => {
    child.kill("SIGTERM");
    await exited;
  });
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), "line"), exited.then(() => [""])]);
  if (line === "") throw new Error("parley start can't start.");
  const { service, token, console: address, messenger } = JSON.parse(line);
  const { origin } = new URL(address);
  const call = async (method, path, body) => {
    const response = await fetch(service + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  return {
    origin,
    /** Address of the demo shop. */
    shop: messenger,
    dataFolder,
    url,
    call,
    /** Writes as the customer of a conversation. */
    write: ({ id, userId }, text) => call("POST", `/conversations/${id}/messages`, messageBody(userId, text)),
  };
};

/** -> `[{ id, userId }]`, the newest first */
export const fillAccount = async ({ call }, count) => {
  const { channels } = await call("GET", "/channels");
  const begin = async (index) => {
    const { id: userId } = await call("POST", "/users", {
      first_name: `Customer ${index}`,
      email: `c${index}@bench.example`,
    });
    const { conversation_id: id } = await call("POST", "/conversations", {
      channel_id: channels[index % channels.length].id,
      users: [{ id: userId }],
      messages: [JSON.parse(messageBody(userId, `Question ${index} about an order that has not arrived yet`))],
    });
    return { id, userId };
  };
  const conversations = [];
  for (let index = 0; index < count; index += PARALLEL)
    conversations.push(...(await Promise.all(Array.from({ length: PARALLEL }, (_, offset) => begin(index + offset)))));
  return conversations.reverse();
};
