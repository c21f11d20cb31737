/** An instance of the built command, its admin API, its platform's API, and accounts with keys that it hands out. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { nowMs } from "../clock.mjs";
import { startServer } from "../processes.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BIN = join(ROOT, "packages/parley/bin/parley.mjs");
/** Lines of the log that are shown when an instance can't start. */
const LOG_LINES = 20;

const freePort = async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
};

export const messageBody = (user_id, text) =>
  JSON.stringify({ actor_type: "user", actor_id: user_id, message_parts: [{ text: { content: text } }] });

const callJson = async ({ origin, key, log = [] }, method, path, body) => {
  const response = await fetch(origin + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}\n${log.slice(-3).join("\n")}`);
  return text === "" ? undefined : JSON.parse(text);
};

/**
 * Starts `parley serve` or `parley start`. @shape hasFront: the platform reaches the service through front.mjs, whose messages `onFront` receives;
 * ended: receives the function that ends it
 */
export const startInstance = async ({ command, dataFolder, url, ended, environment = {}, onFront }) => {
  const ports = [await freePort(), await freePort()];
  let front;
  if (onFront) {
    front = await startServer("platform/front.mjs", ports[0]);
    ended(front.stop);
    front.onMessage(onFront);
  }
  const env = {
    ...process.env,
    DATABASE_URL: url,
    PARLEY_DATA: dataFolder,
    PARLEY_SERVICE_PORT: String(ports[0]),
    PARLEY_APP_PORT: String(ports[1]),
    PARLEY_CALLS_PER_HOUR: "1000000000",
    ...(front && { PARLEY_SERVICE_URL: `http://127.0.0.1:${front.port}` }),
    ...environment,
  };
  // In a process group of its own: Ctrl-C reaches it by `ended` only, once.
  const child = spawn(process.execPath, [BIN, ...command, "--json"], {
    env,
    cwd: ROOT,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const log = [];
  createInterface({ input: child.stderr }).on("line", (line) => {
    log.push(line);
    if (log.length > LOG_LINES) log.shift();
  });
  const exited = once(child, "close");
  ended(async () => {
    child.kill("SIGTERM");
    await exited;
  });
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([once(lines, "line"), exited.then(() => [undefined])]);
  if (line === undefined) throw new Error(`parley ${command.join(" ")} can't start:\n${log.join("\n")}`);
  const offer = JSON.parse(line);
  const port = Number(new URL(offer.service).port);
  const origin = `http://127.0.0.1:${port}`;
  // The file that other commands find the instance by: it names the platform of 'parley start' too.
  const instance = JSON.parse(await readFile(join(dataFolder, "instance.json"), "utf8"));
  const key = (await readFile(join(dataFolder, "admin-key"), "utf8")).trim();
  const admin = (method, path, body) => callJson({ origin, key, log }, method, path, body);
  const platform = (method, path, body) => callJson({ origin: instance.platform, key, log }, method, path, body);

  return {
    pid: offer.pid ?? child.pid,
    /** Of the demo account; undefined without it. */
    token: offer.token,
    appWorkers: offer.appWorkers ?? [],
    port,
    log,
    admin,
    /** Publishes the app of a folder by `parley publish`. */
    publish: (folder) =>
      promisify(execFile)(process.execPath, [BIN, "publish", folder, "--json"], {
        env: { ...process.env, PARLEY_DATA: dataFolder },
      }),
    install: (account, name) => platform("POST", `/platform/accounts/${account}/apps`, { name }),
    /** Creates an account with a key. */
    async createAccount(name) {
      await admin("POST", "/admin/accounts", { name, owner: { email: `${name}@example.com` } });
      const { token } = await admin("POST", `/admin/accounts/${name}/tokens`, { name: "bench" });
      return { name, port, token };
    },
    /** Begins a conversation of an account. */
    async beginConversation({ token }) {
      const api = (method, path, body) => callJson({ origin, key: token, log }, method, `/v2${path}`, body);
      const { channels } = await api("GET", "/channels");
      const { id } = await api("POST", "/users", {});
      const messages = [JSON.parse(messageBody(id, "nothing"))];
      const body = { channel_id: channels[0].id, users: [{ id }], messages };
      const { conversation_id } = await api("POST", "/conversations", body);
      return { id: conversation_id, user_id: id, token };
    },
    /** Posts a message of the conversation's user. Resolves with the time of the response. @units milliseconds since 1970 */
    async post({ id, user_id, token }, text) {
      const response = await fetch(`${origin}/v2/conversations/${id}/messages`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: messageBody(user_id, text),
      });
      const at = nowMs();
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`POST message: ${response.status}`);
      return at;
    },
    /** -> number of events that apps of the account have not received */
    async eventsToCome(account) {
      const { subscriptions } = await admin("GET", `/admin/accounts/${account}/subscriptions`);
      return subscriptions.reduce((sum, { to_come, waiting }) => sum + to_come + waiting, 0);
    },
  };
};
