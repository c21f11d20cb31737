/**
 * The peers: mock servers that developers use today, each with its closest equivalent of Parley's API. Two generate responses from the same OpenAPI
 * document, one stores data in a JSON file. They have no tokens, business rules, call limits or events.
 */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const fileOf = (name) => fileURLToPath(new URL(name, import.meta.url));
const DOCUMENT = fileOf("../docs/integrators/openapi.json");
const ID = "01a1fe00-0000-7000-8000-000000000001";
const MESSAGES = `/conversations/${ID}/messages`;

const freePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** `post` and `get`: paths of a new message and of a page of twenty. */
const PEERS = {
  prism: {
    args: (port) => [
      "node_modules/@stoplight/prism-cli/dist/index.js",
      "mock",
      DOCUMENT,
      ...["-p", port, "-h", "127.0.0.1", "-v", "silent"],
    ],
    post: MESSAGES,
    get: MESSAGES,
  },
  mockoon: {
    args: (port) => [
      "node_modules/@mockoon/cli/bin/run.js",
      "start",
      ...["--data", DOCUMENT, "--port", port, "--hostname", "127.0.0.1", "--disable-log-to-file"],
    ],
    post: `/v2${MESSAGES}`,
    get: `/v2${MESSAGES}`,
  },
  "json-server": {
    args: (port, folder) => [
      "node_modules/json-server/lib/cli/bin.js",
      join(folder, "db.json"),
      ...["--port", port, "--host", "127.0.0.1", "--quiet"],
    ],
    post: "/messages",
    get: "/messages?_page=1&_limit=20",
  },
};

const untilAnswering = async (port, path) => {
  for (const end = performance.now() + 60_000; performance.now() < end;) {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: "Bearer x" } }).catch(
      () => undefined,
    );
    if (reply?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`A peer does not respond at ${path}.`);
};

/** Starts a peer. -> `{ port, pid, stop, requests }`: requests for the load generator */
export const startPeer = async (name, body) => {
  const { args, post, get } = PEERS[name];
  const folder = await mkdtemp(join(tmpdir(), "parley-bench-peer-"));
  const messages = Array.from({ length: 30 }, (_, index) => ({ id: index + 1, ...JSON.parse(body) }));
  await writeFile(join(folder, "db.json"), JSON.stringify({ messages }));
  const port = await freePort();
  const child = spawn(process.execPath, args(String(port), folder).map(String), {
    cwd: fileOf("."),
    stdio: ["ignore", "ignore", "ignore"],
    env: { ...process.env, NODE_ENV: "production" },
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const stop = async () => {
    child.kill("SIGKILL");
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await untilAnswering(port, get);
  } catch (error) {
    await stop();
    throw new Error(`${name}: ${error.message}`);
  }
  const headers = { authorization: "Bearer x" };
  return {
    port,
    pid: child.pid,
    stop,
    requests: { post: { method: "POST", path: post, headers, body }, get: { method: "GET", path: get, headers } },
  };
};

export const PEER_NAMES = Object.keys(PEERS);
