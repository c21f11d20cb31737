import { logText } from "@parley/telemetry";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServiceEvent } from "@parley/contract";
import type { Database } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { signWebhook } from "@parley/egress";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import type { AppHost } from "../../src/platform/app-host/app-host.ts";
import { startAppHost } from "../../src/platform/app-host/start-app-host.ts";
import { realHostPorts, type HostPorts } from "../../src/environment/ports.ts";
import type { HostSettings } from "../../src/environment/settings.ts";
import { KEY, startFakeAccount, type FakeAccount } from "./fake-account.ts";

const DOMAIN = "acme.parley.localhost";
/** Admin key for the routes below /admin. */
export const ADMIN_KEY = "parley_admin_of-the-test";
const SECRET = `whsec_${randomBytes(24).toString("base64")}`;

export interface HostFixture {
  readonly host: AppHost;
  readonly account: FakeAccount;
  readonly database: Database;
  /** The app's folder, a copy that tests may change. */
  readonly folder: string;
  readonly lines: string[];
  /** Writes a file of the app. */
  write(file: string, text: string): Promise<void>;
  /** Waits until the host has logged a matching line. */
  waitForLog(pattern: RegExp): Promise<string>;
  /** Delivers an event to the host as the service does. Returns the status of the response. */
  deliver(
    event: ServiceEvent,
    signature?: Partial<Parameters<typeof signWebhook>[0]>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<number>;
  /** Starts a new host on the same folders after closing the current one. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

let eventCount = 0;
/** A message event of a customer with this text. */
export const messageEvent = (text: string, more: Partial<ServiceEvent> = {}): ServiceEvent => ({
  id: `event-${(eventCount += 1)}`,
  kind: "message_create",
  account_id: 7,
  account: "acme",
  domain: DOMAIN,
  region: "EUC",
  timestamp: 1_900_000_000_000,
  version: "1.0.0",
  data: {
    actor: { type: "user", id: "u" },
    associations: {},
    message: {
      conversation_id: "c",
      interaction_id: "1-1",
      messages: [{ message_parts: [{ text: { content: text } }] }],
    } as never,
  },
  ...more,
});

/** Starts an app host on a copy of a fixture app, with a real database and a fake account over HTTP. */
export async function hostFixture(
  app: string,
  {
    settings = {},
    ports = realHostPorts,
    openedDatabase = testDatabase(),
  }: { settings?: Partial<HostSettings>; ports?: HostPorts; openedDatabase?: Promise<Database> } = {},
): Promise<HostFixture> {
  const base = await mkdtemp(join(tmpdir(), "parley-host-"));
  const folder = join(base, app);
  await cp(fileURLToPath(new URL(`../fixtures/${app}`, import.meta.url)), folder, { recursive: true });
  const [database, account] = await Promise.all([openedDatabase, startFakeAccount()]);
  const lines: string[] = [];
  const start = () =>
    startAppHost({
      folder,
      database,
      dataFolder: base,
      port: 0,
      hosts: new Map([[DOMAIN, { origin: account.origin }]]),
      domainSuffix: ".parley.localhost",
      eventSecret: () => SECRET,
      adminKey: ADMIN_KEY,
      appKey: () => Promise.resolve(KEY),
      log: (...line) => void lines.push(logText(...line)),
      settings: { callTimeoutMs: 2_000, ...settings },
      ports,
    });
  const cleanUp = async () => {
    await Promise.all([account.close(), database.close()]);
    await rm(base, { recursive: true, force: true });
  };
  let host = await start().catch(async (error: unknown) => {
    await cleanUp();
    throw error;
  });
  return {
    get host() {
      return host;
    },
    account,
    database,
    folder,
    lines,
    write: (file, text) => writeFile(join(folder, file), text),
    waitForLog: (pattern) =>
      waitUntil(() => lines.find((line) => pattern.test(line)), {
        details: () => `no line matches ${String(pattern)}:\n${lines.join("\n")}`,
      }),
    async deliver(event, signature = {}, extraHeaders = {}) {
      const body = JSON.stringify(event);
      const timestampSeconds = Math.floor(ports.now().getTime() / 1000);
      const headers = signWebhook({ id: event.id, timestampSeconds, body, secret: SECRET, ...signature });
      const answer = await fetch(`${host.url}/events`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers, ...extraHeaders },
        body,
      });
      await answer.arrayBuffer();
      return answer.status;
    },
    async restart() {
      await host.close();
      host = await start();
    },
    async close() {
      await host.close();
      await cleanUp();
    },
  };
}
