/** A separate Parley instance for the clients, created by `parley init` and `parley start`, without its app installed. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startOutside } from "./outside.mjs";

export { until } from "../compatibility/command.mjs";

const BIN = fileURLToPath(new URL("../../packages/parley/bin/parley.mjs", import.meta.url));

/** @errors Error if the two values differ as JSON */
export const same = (what, found, expected) => {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what} is ${a}, expected ${b}`);
};

const firstLine = (child) =>
  new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\n")) resolve(JSON.parse(text.split("\n")[0]));
    });
    child.once("close", (status) => reject(new Error(`parley start ended with ${status}`)));
  });

/**
 * Starts Parley with its demo account.
 * Returns `url` of the API with the version segment, `origin`, `token`, `account`; `call(method, path, body)` with that token;
 * `channel`, `agents`, `groups` of the account; `user()` and `converse(text?)`, which create a user or a conversation;
 * `webhook(url, actions?)`, which subscribes a URL; `approve(template)` for outbound messages; `outside`: environment variables with which a
 * client reaches this Parley under the original hosts; `close()`
 */
export const startParley = async () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-clients-"));
  const app = join(folder, "app");
  const parley = (...args) => spawnSync(process.execPath, [BIN, ...args], { cwd: app, encoding: "utf8" });
  const made = spawnSync(process.execPath, [BIN, "init", app], { encoding: "utf8" });
  if (made.status !== 0) throw new Error(`parley init: ${made.stderr}`);
  const env = { ...process.env, PARLEY_SERVICE_PORT: "0", PARLEY_APP_PORT: "0" };
  for (const name of ["DATABASE_URL", "PARLEY_DATA"]) delete env[name];
  const child = spawn(process.execPath, [BIN, "start", "--json", "--no-install"], {
    cwd: app,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stopped = new Promise((resolve) => child.once("close", resolve));
  const { service: url, token, account } = await firstLine(child);
  const origin = new URL(url).origin;
  const outside = await startOutside(origin);
  const call = async (method, path, body) => {
    const answer = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
  const { channels } = await call("GET", "/channels");
  const { agents } = await call("GET", "/agents?is_deactivated=false&items_per_page=100");
  const { groups } = await call("GET", "/groups?items_per_page=100");
  const [channel] = channels;
  const user = (more) => call("POST", "/users", { first_name: "Ann", email: "ann@customer.example", ...more });
  const converse = async (text = "Hello", from) => {
    const { id } = from ?? (await user());
    const messages = [{ actor_type: "user", actor_id: id, message_parts: [{ text: { content: text } }] }];
    const created = await call("POST", "/conversations", { channel_id: channel.id, users: [{ id }], messages });
    return { conversation: created.conversation_id, user: id };
  };
  /** Returns `publicKey` as PEM and `remove()`. */
  const webhook = (address, actions = []) => {
    const { status, stdout, stderr } = parley(
      "webhook",
      "add",
      address,
      "--json",
      ...actions.flatMap((one) => ["-a", one]),
    );
    if (status !== 0) throw new Error(stderr);
    const { id, publicKey } = JSON.parse(stdout);
    return { publicKey, remove: () => void parley("webhook", "remove", id) };
  };
  /** Approves a template of the account. @shape template: {namespace, name, language, body: {text}} */
  const approve = (template) => {
    const file = join(folder, "account.json");
    writeFileSync(file, JSON.stringify({ name: account, templates: [{ status: "approved", ...template }] }));
    const { status, stderr } = parley("account", "apply", file);
    if (status !== 0) throw new Error(`parley account apply: ${stderr}`);
  };
  const messagesOf = async (id) => (await call("GET", `/conversations/${id}/messages?items_per_page=50`)).messages;
  const close = async () => {
    child.kill("SIGTERM");
    await stopped;
    await outside.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    url,
    origin,
    token,
    account,
    channel,
    agents,
    groups,
    call,
    user,
    converse,
    messagesOf,
    approve,
    webhook,
    outside,
    close,
  };
};

/** Packages of Debian are installed for its own interpreter. */
export const PYTHON = process.env.PYTHON ?? (existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3");

/** Starts a client program that runs until `stop`. `output()` returns its output so far. */
export const startProgram = (command, args, { cwd, env }) => {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const ended = new Promise((resolve) => child.once("close", resolve));
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  return { output: () => output, write: (text) => child.stdin.write(text), ended, stop };
};

/** Runs a client program to its end. Returns its standard output. @errors Error with its output if the exit status is not 0 */
export const runProgram = async (command, args, { cwd, env, input, ms = 60_000 }) => {
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) child[name].on("data", (chunk) => (output[name] += chunk));
  // A program may end before it has read its input: its status says what it did.
  child.stdin.on("error", () => undefined).end(input ?? "");
  const timer = setTimeout(() => child.kill("SIGKILL"), ms);
  const status = await new Promise((resolve) => child.once("close", resolve));
  clearTimeout(timer);
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${(output.stderr || output.stdout).slice(-300)}`);
  return output.stdout;
};

/** Returns a free port of the loopback interface. */
export const freePort = async () => {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
};

/** Starts a fake of another service. @shape answer: ({method, url, headers, body}) -> {status?, body}. Returns `origin`, `requests`, `close()`. */
export const startService = async (answer) => {
  const requests = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const one = {
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    };
    requests.push(one);
    const { status = 200, body = {} } = answer(one) ?? {};
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { origin: `http://127.0.0.1:${server.address().port}`, requests, close };
};
