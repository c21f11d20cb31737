/**
 * Section `attacks`: response times of a well-behaved client, and of another app on the same host, during an attack; and the peak memory of the
 * attacked process.
 */
import { fork } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openDatabase, statement } from "../packages/database/dist/index.js";
import { startServer } from "./processes.mjs";

const HANDLER_APP = fileURLToPath(new URL("handler-app", import.meta.url));
const PAUSE_MS = 10;
const REQUEST_TIMEOUT_MS = 120_000;
const FORM = "multipart/form-data; boundary=b";
const SLOW_FORM = `Content-Type: ${FORM}\r\nContent-Length: 9000000\r\n\r\n--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n`;

const get = (path, more = "") => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;

/** Attacks on the service, by name; the token is an ordinary API key of the account. */
const SERVICE_ATTACKS = {
  "50 × 2,000 pipelined GET /docs, unread": () => ({
    attack: "pipelining",
    connections: 50,
    perConnection: 2_000,
    request: get("/docs"),
  }),
  "50 × 2,000 pipelined GET of the reference's script, unread": () => ({
    attack: "pipelining",
    connections: 50,
    perConnection: 2_000,
    request: get("/docs/swagger-ui-bundle.js"),
  }),
  "200 × 5,000 pipelined requests without a token, unread": () => ({
    attack: "pipelining",
    connections: 200,
    perConnection: 5_000,
    request: get("/v2/users"),
  }),
  "200 × 5,000 pipelined requests without a token, read": () => ({
    attack: "pipelining",
    connections: 200,
    perConnection: 5_000,
    request: get("/v2/users"),
    reads: true,
  }),
  "1,000 unread GET /v2/openapi.json": () => ({
    attack: "pipelining",
    connections: 1_000,
    perConnection: 10,
    request: get("/v2/openapi.json"),
  }),
  "1,000 slow headers": () => ({
    attack: "slow",
    connections: 1_000,
    request: "GET /v2/users HTTP/1.1\r\nHost: localhost\r\nX: ",
    byte: "x",
    everyMs: 500,
  }),
  "500 slow uploads": ({ token }) => ({
    attack: "slow",
    connections: 500,
    request: `POST /v2/files/upload HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n${SLOW_FORM}`,
    byte: "x".repeat(1_024),
    everyMs: 500,
  }),
  "500 unread streams": ({ token }) => ({
    attack: "unread",
    connections: 500,
    request: get("/v2/stream", `Authorization: Bearer ${token}\r\n`),
  }),
};

const HOST_ATTACKS = {
  "50 × 2,000 pipelined GET /custom_configs, unread": () => ({
    attack: "pipelining",
    connections: 50,
    perConnection: 2_000,
    request: get("/custom_configs/page.js"),
  }),
  "200 × 5,000 pipelined GET /app/x, unread": () => ({
    attack: "pipelining",
    connections: 200,
    perConnection: 5_000,
    request: get("/app/x"),
  }),
};

/** @units megabytes */
const memoryOf = async (pid, key) =>
  Math.round(
    Number(new RegExp(`${key}:\\s+(\\d+) kB`).exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024,
  );

const ask = (agent, port, { path, headers }) =>
  new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, headers, agent, timeout: REQUEST_TIMEOUT_MS }, (answer) => {
      answer
        .resume()
        .on("end", () => resolve(answer.statusCode))
        .on("error", reject);
    });
    sent.on("error", reject).on("timeout", () => sent.destroy(new Error("no response")));
    sent.end();
  });

/** A client that sends one request at a time with a short pause, for `ms`. -> durations, and the number of responses other than 200 */
const measureClient = async (port, clientRequest, ms) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times = [];
  let failed = 0;
  for (const end = performance.now() + ms; performance.now() < end;) {
    const begun = performance.now();
    const status = await ask(agent, port, clientRequest).catch(() => 0);
    times.push(performance.now() - begun);
    if (status !== 200) failed += 1;
    await wait(PAUSE_MS);
  }
  agent.destroy();
  return { times, failed };
};

const summary = ({ times, failed = 0 }) => {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part) => Number(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))].toFixed(1));
  return { answers: sorted.length, failed, p50: at(0.5), p99: at(0.99), most: at(1) };
};

const rowOf = (name, before, during, memory) => ({
  name,
  ours: during.answers,
  limit: before.answers,
  ratio: null,
  p50: during.p50,
  p99: during.p99,
  peers: {
    "p50 before": before.p50,
    "p99 before": before.p99,
    longest: during.most,
    failed: during.failed,
    MB: memory,
  },
});

/** Measures one attack on a newly started server. */
const attacked = async (name, server, clientRequest, job, { seconds, progress }) => {
  const { port, pid } = server;
  await measureClient(port, clientRequest, 1_000);
  const before = summary(await measureClient(port, clientRequest, (seconds * 1_000) / 2));
  const attacker = fork(fileURLToPath(new URL("attacker.mjs", import.meta.url)), [], { stdio: "inherit" });
  attacker.send({ port, ...job });
  const during = summary(await measureClient(port, clientRequest, seconds * 1_000));
  const memory = await memoryOf(server.hostPid ?? pid, "VmHWM");
  attacker.kill();
  progress(
    `${name}: p50 ${before.p50} -> ${during.p50} ms, p99 ${before.p99} -> ${during.p99} ms, longest ${during.most} ms, ${during.failed} failed, ${memory} MB`,
  );
  return rowOf(name, before, during, memory);
};

const serviceRows = async (options, isChosen) => {
  const dataFolder = await mkdtemp(join(tmpdir(), "parley-bench-"));
  const database = await openDatabase({ dataFolder, log: options.progress });
  try {
    const pool = database.pool("public", { max: 1 });
    const [{ folder }] = await pool.rows(statement("", "select current_setting('data_directory') as folder"), []);
    const url = `postgres://postgres@/postgres?host=${encodeURIComponent(folder)}`;
    const rows = [];
    for (const [name, jobOf] of Object.entries(SERVICE_ATTACKS)) {
      if (!isChosen(name)) continue;
      const server = await startServer("ours.mjs", url, "acme", join(dataFolder, "objects"));
      const clientRequest = { path: "/v2/channels", headers: { authorization: `Bearer ${server.token}` } };
      rows.push(await attacked(`service: ${name}`, server, clientRequest, jobOf(server), options));
      process.kill(server.pid, "SIGKILL");
    }
    return rows;
  } finally {
    await database.close();
    await rm(dataFolder, { recursive: true, force: true });
  }
};

const hostRows = async (options, isChosen) => {
  const rows = [];
  for (const [name, jobOf] of Object.entries(HOST_ATTACKS)) {
    if (!isChosen(name)) continue;
    const server = await startServer("functions-ours.mjs", HANDLER_APP);
    rows.push(
      await attacked(`app host: ${name}`, server, { path: "/custom_configs", headers: {} }, jobOf(server), options),
    );
    await server.stop();
  }
  return rows;
};

const appRows = async ({ seconds, progress }, isChosen) => {
  const rows = [];
  for (const name of ["logNewlines", "logLines"]) {
    if (!isChosen(name)) continue;
    const host = await startServer("attacked-apps.mjs");
    await host.ask("nothing 1000");
    const before = summary({ times: await host.ask(`nothing ${seconds * 500}`) });
    const during = summary({ times: await host.ask(`${name} ${seconds * 1_000}`) });
    const memory = await memoryOf(host.pid, "VmHWM");
    progress(
      `${name}: p50 ${before.p50} -> ${during.p50} ms, p99 ${before.p99} -> ${during.p99} ms, longest ${during.most} ms, ${memory} MB`,
    );
    rows.push(rowOf(`another app: ${name}`, before, during, memory));
    process.kill(host.pid, "SIGKILL");
  }
  return rows;
};

/**
 * @shape `[{ name, ours, limit: null | number, ratio: null, p50, p99, peers }]`; ours: responses to the client during the attack; limit: before it, in half of the
 * time @units milliseconds
 */
export const measureAttacks = async (options) => {
  const isChosen = (name) => options.only === undefined || name.includes(options.only);
  return [
    ...(await serviceRows(options, isChosen)),
    ...(await hostRows(options, isChosen)),
    ...(await appRows(options, isChosen)),
  ];
};
