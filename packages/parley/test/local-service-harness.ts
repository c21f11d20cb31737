import { logText } from "@parley/telemetry";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parleyClient, type ParleyClient } from "@parley/client";
import type { ClockChange, ClockState, Fault, NewFault, Snapshot } from "@parley/contract";
import type { Database } from "@parley/database";
import {
  startLocalService,
  type LocalService,
  type DeterministicInputs,
} from "../src/test-environment/local-service.ts";
import { migratedDatabase } from "./migrated-database.ts";

export const ADMIN_KEY = "parley_admin_of-a-test";

export interface LocalServiceHarness {
  readonly origin: string;
  readonly local: LocalService;
  readonly database: Database;
  readonly token: string;
  readonly client: ParleyClient;
  readonly dataFolder: string;
  readonly objectsFolder: string;
  readonly lines: readonly string[];
  /** Sends a request to /admin/world and below with the admin key. */
  request(method: string, path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Expects a successful response. Returns its body. */
  requestSuccessfully<T>(method: string, path: string, body?: unknown): Promise<T>;
  clock(change: ClockChange): Promise<ClockState>;
  fault(newFault: NewFault): Promise<Fault>;
  state(): Promise<{ clock: ClockState; faults: Fault[]; snapshots: Snapshot[] }>;
  /** Creates a conversation of a new customer with one message. Returns its id. */
  createConversation(text: string): Promise<string>;
  close(): Promise<void>;
}

export interface LocalServiceHarnessOptions {
  readonly deterministic?: DeterministicInputs;
  /** Continues with the data of a closed harness. */
  readonly previous?: LocalServiceHarness;
  /** Environment variables with settings of the service. */
  readonly env?: Readonly<Record<string, string>>;
  /** Waits for the time of a latency fault; absent: really. @units milliseconds */
  readonly delay?: (ms: number) => Promise<unknown>;
  /** Keeps the data when closed, for the next harness. */
  readonly keep?: boolean;
}

/** Starts a local instance in this process with the saved seed: the demo accounts and a token. */
export async function localServiceHarness(options: LocalServiceHarnessOptions = {}): Promise<LocalServiceHarness> {
  const database = options.previous?.database ?? (await migratedDatabase());
  const dataFolder = options.previous?.dataFolder ?? (await mkdtemp(join(tmpdir(), "parley-test-environment-")));
  const objectsFolder = join(dataFolder, "objects");
  const lines: string[] = [];
  Object.assign(process.env, options.env);
  const local = await startLocalService({
    database,
    port: 0,
    adminKey: ADMIN_KEY,
    dataFolder,
    objectsFolder,
    deterministic: options.deterministic,
    delay: options.delay,
    log: (...line) => void lines.push(logText(...line)),
  });
  for (const name of Object.keys(options.env ?? {})) delete process.env[name];
  await local.admin.ensureDemo();
  // With a frozen clock and ids, a second token would have the id of the first: as a start does, the harness reuses the first token.
  const keptToken = options.deterministic && options.previous?.token;
  const token =
    keptToken && (await local.admin.isValidToken(keptToken))
      ? keptToken
      : (await local.admin.issueToken({ account: "acme", name: "test" })).token;
  await local.ensureSeed();
  const origin = `http://127.0.0.1:${local.port}`;
  const client = parleyClient({ url: origin, token });

  const request: LocalServiceHarness["request"] = async (method, path, body) => {
    const reply = await fetch(`${origin}/admin/world${path}`, {
      method,
      headers: {
        authorization: `Bearer ${ADMIN_KEY}`,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
  };
  const requestSuccessfully: LocalServiceHarness["requestSuccessfully"] = async <T>(
    method: string,
    path: string,
    body?: unknown,
  ) => {
    const reply = await request(method, path, body);
    if (reply.status >= 400) throw new Error(`${method} ${path} answered ${JSON.stringify(reply.body)}`);
    return reply.body as T;
  };

  return {
    origin,
    local,
    database,
    token,
    client,
    dataFolder,
    objectsFolder,
    lines,
    request,
    requestSuccessfully,
    clock: (change) => requestSuccessfully("PUT", "/clock", change),
    fault: (newFault) => requestSuccessfully("POST", "/faults", newFault),
    state: () => requestSuccessfully("GET", ""),
    async createConversation(text) {
      const user = await client.users.createUser({ body: { first_name: "Sam" } });
      const { channels } = await client.channels.listChannels({ query: {} });
      const created = await client.conversations.createConversation({
        body: {
          channel_id: channels[0]?.id ?? "",
          users: [{ id: user.id }],
          messages: [{ actor_type: "user", actor_id: user.id, message_parts: [{ text: { content: text } }] }],
        },
      });
      return created.conversation_id;
    },
    async close() {
      await local.close();
      if (options.keep) return;
      await database.close();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
}
