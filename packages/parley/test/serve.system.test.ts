import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { Agent, request } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { campaignTest } from "../../../test/support/campaign.ts";
import { embeddedUrl, openDatabase, statement } from "@parley/database";
import { main } from "@parley/parley";
import { SERVICE_SCHEMA } from "@parley/service";
import { requestAt } from "./platform-browser-sessions.ts";
import { familyOf, killAll, parley, ROOT, survivors, temporaryFolder } from "../../../test/support/parley-process.ts";

/** `parley serve`: two processes on one port, on the embedded database. */

interface Announced {
  readonly pid: number;
  readonly service: string;
  readonly console: string;
  readonly platform: string;
  readonly apps: string;
  readonly workers: readonly number[];
  readonly token: string;
}

const data = await temporaryFolder();
const { NODE_OPTIONS: _, DATABASE_URL: __, ...rest } = process.env;
const env = { ...rest, PARLEY_DATA: data.folder, PARLEY_CALLS_PER_HOUR: "1000000", PARLEY_APP_PORT: "0" };
const child = spawn(
  process.execPath,
  [join(ROOT, "packages/parley/bin/parley.mjs"), "serve", "--workers", "2", "--port", "0", "--demo", "--json"],
  { cwd: data.folder, env, stdio: ["ignore", "pipe", "pipe"] },
);
const output = { stdout: "", stderr: "" };
child.stdout.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()));
child.stderr.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()));
const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));

let announced: Announced;
let origin: string;
let adminKey: string;
beforeAll(async () => {
  await waitUntil(() => output.stdout.includes("\n") || child.exitCode !== null);
  announced = JSON.parse(output.stdout) as Announced;
  ({ origin } = new URL(announced.service));
  adminKey = (await readFile(join(data.folder, "admin-key"), "utf8")).trim();
});
afterAll(async () => {
  const family = await familyOf(child.pid ?? 0);
  child.kill("SIGTERM");
  killAll(await survivors(family, 8_000));
  await data.remove();
});

/** Returns the text of the response, or undefined if the connection was closed. */
const get = (path: string, agent: Agent | false, key = announced.token): Promise<string | undefined> =>
  new Promise((resolve) => {
    const sent = request(origin + path, { agent, headers: { authorization: `Bearer ${key}` } }, (reply) => {
      let text = "";
      reply.on("data", (chunk: Buffer) => (text += chunk.toString()));
      reply.on("end", () => resolve(text));
      reply.on("error", () => resolve(undefined));
    });
    sent.on("error", () => resolve(undefined));
    sent.end();
  });
const pidOf = async (agent: Agent | false): Promise<number> =>
  (JSON.parse((await get("/admin/status", agent, adminKey)) ?? "{}") as { pid: number }).pid;
const untilTwo = (): Promise<Set<number>> =>
  waitUntil(async () => {
    const pids = new Set(await Promise.all(Array.from({ length: 8 }, () => pidOf(false))));
    return pids.size === 2 && ![...pids].includes(undefined as never) ? pids : undefined;
  });

const PASSWORDS = statement("", "select password_hash from agent_credentials where password_hash is not null");

/** An agent of acme chooses a password by a link of the admin API. */
const choosePassword = async (): Promise<void> => {
  const { agents } = JSON.parse((await get("/v2/agents", false)) ?? "{}") as { agents: { id: string }[] };
  const send = (path: string, body: object, headers: Record<string, string>) =>
    fetch(origin + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const reset = await send(
    `/admin/accounts/acme/agents/${agents[0]?.id}/password-reset`,
    {},
    { authorization: `Bearer ${adminKey}` },
  );
  const { link } = (await reset.json()) as { link: string };
  const token = /[\w-]{43}$/.exec(link)?.[0];
  const chosen = await send("/identity/password", { token, password: "correct horse battery" }, { origin });
  expect(chosen.status).toBe(200);
};

describe("parley serve", () => {
  test("prints one line with its addresses and distributes connections evenly", async () => {
    expect(announced).toMatchObject({ pid: child.pid, token: expect.stringMatching(/^parley_/) });
    expect(announced.workers).toHaveLength(2);
    const agents = Array.from({ length: 10 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
    const pids: number[] = [];
    for (const agent of agents) pids.push(await pidOf(agent));
    for (const pid of announced.workers) expect(pids.filter((each) => each === pid)).toHaveLength(5);
    for (const agent of agents) agent.destroy();
    expect(await get("/live", false)).toBe('{"status":"ok"}');
    expect(await get("/health", false)).toBe('{"status":"ok"}');
  });

  test("prints addresses with one host name, and the host of all apps leads to the console there", async () => {
    const { service, console, platform, apps } = announced;
    expect([service, console, platform].map((address) => new URL(address).hostname)).toEqual(
      Array.from({ length: 3 }, () => "localhost"),
    );
    const { location } = await requestAt(`${apps}/catalogue`, { headers: { "sec-fetch-mode": "navigate" } });
    expect(location).toBe(`${console}/admin/apps`);
  });

  test("is found by the other commands", async () => {
    const options = { env: { PARLEY_DATA: data.folder } };
    const [status, issued] = await Promise.all([
      parley(["status"], options),
      parley(["token", "create", "--account", "acme", "--json"], options),
    ]);
    expect(status).toMatchObject({ status: 0, stderr: "" });
    expect(status.stdout).toContain(origin);
    expect(status.stdout).not.toContain("Installation page");
    const { token } = JSON.parse(issued.stdout) as { token: string };
    expect(await get("/v2/channels", false, token)).toContain('"channels"');
  });

  test("stores passwords as argon2id with 19 MiB and two passes", async () => {
    await choosePassword();
    const database = await openDatabase({ dataFolder: data.folder, url: embeddedUrl(data.folder) });
    try {
      const hashes = await database.pool(SERVICE_SCHEMA, { max: 1 }).rows<{ password_hash: string }>(PASSWORDS, []);
      expect(hashes.map(({ password_hash }) => password_hash)).toEqual([
        expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/),
      ]);
    } finally {
      await database.close();
    }
  });

  campaignTest(
    "keeps answering after a worker was killed: only that worker's requests fail, and a new worker starts",
    async () => {
      const [victim = 0] = announced.workers;
      const request = async () => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 });
        const pid = await pidOf(agent);
        let broken = 0;
        for (let turn = 0; turn < 40; turn++) if ((await get("/v2/channels", agent)) === undefined) broken++;
        agent.destroy();
        return { pid, broken };
      };
      const requests = Array.from({ length: 12 }, request);
      await wait(30);
      process.kill(victim, "SIGKILL");
      for (const { pid, broken } of await Promise.all(requests))
        expect(broken).toBeLessThanOrEqual(pid === victim ? 1 : 0);
      const pids = await untilTwo();
      expect(pids).not.toContain(victim);
      expect(output.stderr).toMatch(
        new RegExp(`A process of the service \\(${victim}\\) has exited: it is started again in \\d+ ms`),
      );
    },
  );

  campaignTest(
    "sends a stopped worker no more connections and does not pass its unaccepted connections to another worker",
    async () => {
      const [stoppedPid = 0] = await untilTwo();
      process.kill(stoppedPid, "SIGSTOP");
      try {
        // Some of the first requests reach the stopped process. After it is detected, no request is sent to it.
        const asked: Promise<number>[] = [];
        const later = await waitUntil(() => {
          const ten = Array.from({ length: 10 }, () => pidOf(false));
          asked.push(...ten);
          return Promise.race([Promise.all(ten), wait(1_000, undefined)]);
        });
        expect(later).not.toContain(stoppedPid);
        process.kill(stoppedPid, "SIGCONT");
        expect((await Promise.all(asked)).every((pid) => pid > 0)).toBe(true);
      } finally {
        process.kill(stoppedPid, "SIGCONT");
      }
    },
  );

  campaignTest("finishes pending requests on SIGTERM and leaves no process", async () => {
    const family = await familyOf(child.pid ?? 0);
    const body = JSON.stringify({ first_name: "Ann" });
    const statusCode = new Promise<number | undefined>((resolve, reject) => {
      const sent = request(
        `${announced.service}/users`,
        {
          method: "POST",
          agent: false,
          headers: {
            authorization: `Bearer ${announced.token}`,
            "content-type": "application/json",
            "content-length": Buffer.byteLength(body),
            expect: "100-continue",
          },
        },
        (reply) => resolve(reply.resume().statusCode),
      );
      sent.on("error", reject);
      // The service has accepted the request.
      sent.once("continue", () => {
        sent.write(body.slice(0, 5));
        child.kill("SIGTERM");
        waitUntil(async () => (await get("/live", false)) === undefined).then(() => sent.end(body.slice(5)), reject);
      });
      sent.flushHeaders();
    });
    expect(await statusCode).toBe(201);
    expect(await ended).toBe(0);
    expect(await survivors(family, 10_000)).toEqual([]);
    expect(output.stdout.trim().split("\n")).toHaveLength(1);
  });
});

test.each([
  [["--workers", "0"], "", "--workers takes a whole number from 1 to 64, not '0'."],
  [["--port", "70000"], "", "--port takes a whole number from 0 to 65535, not '70000'."],
  [[], "short", "PARLEY_ADMIN_KEY must have at least 32 characters and no spaces."],
])("parley serve %j is rejected in one line", async (args, key, line) => {
  const lines: string[] = [];
  const spy = jest.spyOn(process.stderr, "write").mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
  process.env["PARLEY_ADMIN_KEY"] = key;
  const status = await main(["serve", ...args]);
  delete process.env["PARLEY_ADMIN_KEY"];
  spy.mockRestore();
  expect({ status, lines }).toEqual({ status: 1, lines: [`parley: ${line}\n`] });
});

test("parley serve on a port in use prints a next step", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => other.once("listening", resolve));
  const { port } = other.address() as AddressInfo;
  const own = await temporaryFolder();
  const outcome = await parley(["serve", "--workers", "2", "--port", String(port)], {
    env: { PARLEY_DATA: own.folder },
  });
  other.close();
  await own.remove();
  expect(outcome).toMatchObject({ status: 1, stdout: "" });
  expect(outcome.stderr).toContain(
    `Port ${port} is in use. Stop the program that uses it, or set --port to another port`,
  );
});
