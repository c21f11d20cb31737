import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parleyClient, type ParleyClient } from "@parley/client";
import type { InstalledApp, PublishedVersion } from "@parley/contract";
import type { Database, Pool } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { APP_SCHEMA, startPlatform, type Platform, type PlatformOptions } from "@parley/framework";
import { createProjectTools, packProject } from "@parley/framework/authoring";
import { startService, type MessagingService } from "@parley/service";

export const ADMIN_KEY = "parley_admin_of-a-platform-test-0123456789";
const SUFFIX = ".parley.localhost";

export interface PlatformReply<B = Record<string, unknown>> {
  readonly status: number;
  readonly body: B;
}

/** Files of a test app by path. Objects are written as JSON. */
export type TestAppFiles = Readonly<Record<string, string | object>>;

/** A service and processes of the platform on one database, over real HTTP. The accounts are acme and solo. */
export interface PlatformHarness {
  readonly database: Database;
  /** Of the tables of apps. */
  readonly pool: Pool;
  readonly service: MessagingService;
  readonly serviceOrigin: string;
  /** The first process. */
  readonly platform: Platform;
  readonly lines: string[];
  /** Starts another process of the platform. */
  startAnother(options?: Partial<PlatformOptions>): Promise<Platform>;
  /** Sends a request to the platform's API, with the admin key unless headers are given. */
  request<B = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
    to?: Platform,
  ): Promise<PlatformReply<B>>;
  /** Sends a request to the service's API for the operator. */
  admin<B = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<PlatformReply<B>>;
  publish(files?: TestAppFiles, query?: string): Promise<PublishedVersion>;
  install(account: string, body?: object): Promise<InstalledApp>;
  /** A client of the account's API with all permissions. */
  client(account: string): Promise<ParleyClient>;
  /** Creates a conversation of a new customer. -> its id */
  write(account: string, text: string): Promise<string>;
  /** Texts of the messages that are no customer's, oldest first. */
  replies(account: string, conversation: string): Promise<string[]>;
  /** Polls until the conversation has this number of replies. @errors after fifteen seconds, with the log */
  untilReplies(account: string, conversation: string, count: number): Promise<string[]>;
  until<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T>;
  close(): Promise<void>;
}

/** An app that answers each customer's message with its parameter `greeting` and the version of its code. */
export const greeter = (version: string, more: TestAppFiles = {}): TestAppFiles => ({
  "package.json": { name: "greeter", version, description: "Answers each message." },
  "manifest.json": {
    "platform-version": "3.0",
    modules: {
      common: {
        requests: { reply: {} },
        functions: { recordOf: {} },
        events: {
          onAppInstall: { handler: "installed" },
          afterAppUpdate: { handler: "updated" },
          onAppUninstall: { handler: "uninstalled" },
          onScheduledEvent: { handler: "scheduled" },
          onExternalEvent: { handler: "external" },
        },
      },
      chat_conversation: { events: { onMessageCreate: { handler: "answer" } } },
    },
  },
  "config/iparams.json": {
    domain: { display_name: "Domain", type: "domain", required: true, type_attributes: { product: "freshchat" } },
    api_key: {
      display_name: "Key",
      type: "api_key",
      required: true,
      secure: true,
      type_attributes: { product: "freshchat" },
    },
    greeting: { display_name: "Greeting", description: "d", type: "text", default_value: "Hello" },
  },
  "config/requests.json": {
    reply: {
      schema: {
        method: "POST",
        protocol: "https",
        host: "<%= iparam.domain %>",
        path: "/v2/conversations/<%= context.id %>/messages",
        headers: { Authorization: "Bearer <%= iparam.api_key %>", "Content-Type": "application/json" },
      },
    },
  },
  "server/server.js": `
const say = (id, text) => $request.invokeTemplate("reply", {
  context: { id },
  body: JSON.stringify({ actor_type: "bot", message_parts: [{ text: { content: text } }] }),
});
exports = {
  installed: async function () { await $db.set("version", { installed: "${version}" }); renderData(); },
  updated: function (args) {
    if (args.iparams.greeting === "refuse") return renderData({ message: "Not this greeting." });
    renderData();
  },
  uninstalled: function () { renderData(); },
  scheduled: async function (args) { await say(args.data.id, "scheduled " + args.data.text); },
  external: async function (args) { await say(args.data.id, "external"); },
  recordOf: async function (args) { renderData(null, await $db.get("version")); },
  answer: async function (args) {
    const { message, actor } = args.data;
    if (actor.type !== "user") return;
    const [{ message_parts: [part] }] = message.messages;
    const content = part.text.content;
    const schedule = /^schedule (\\d+) (.*)$/.exec(content);
    if (schedule)
      await $schedule.create({
        name: schedule[2], data: { id: message.conversation_id, text: schedule[2] },
        schedule_at: new Date(Date.now() + Number(schedule[1])).toISOString(),
      });
    if (content === "target") return say(message.conversation_id, await generateTargetUrl());
    if (content === "loop") for (;;);
    await say(message.conversation_id, args.iparams.greeting + " ${version}: " + content);
  },
};
`,
  ...more,
});

export async function platformHarness(options: Partial<PlatformOptions> = {}): Promise<PlatformHarness> {
  const [database, dataFolder] = await Promise.all([testDatabase(), mkdtemp(join(tmpdir(), "parley-platform-"))]);
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const service = await startService({
    database,
    port: 0,
    adminKey: ADMIN_KEY,
    secretsFolder: dataFolder,
    objectsFolder: join(dataFolder, "objects"),
    log,
  });
  await service.admin.ensureDemo();
  const serviceOrigin = `http://127.0.0.1:${service.port}`;
  const platforms: Platform[] = [];
  const start = async (more: Partial<PlatformOptions> = {}) => {
    const platform = await startPlatform({
      database,
      dataFolder,
      port: 0,
      host: "127.0.0.1",
      service: { origin: serviceOrigin, adminKey: ADMIN_KEY },
      serviceOrigin: `http://localhost:${service.port}`,
      domainSuffix: SUFFIX,
      serviceHosts: [],
      log,
      ...options,
      ...more,
    });
    platforms.push(platform);
    return platform;
  };
  const platform = await start();
  const pool = database.pool(APP_SCHEMA);
  const clients = new Map<string, ParleyClient>();

  const send = async <B>(
    origin: string,
    method: string,
    path: string,
    init: RequestInit,
  ): Promise<PlatformReply<B>> => {
    const reply = await fetch(`${origin}${path}`, { method, redirect: "manual", ...init });
    const text = await reply.text();
    let body: unknown = text;
    try {
      body = JSON.parse(text);
    } catch {
      // A page.
    }
    return { status: reply.status, body: body as B };
  };
  const json = (body: unknown): Record<string, string> =>
    body === undefined ? {} : { "content-type": "application/json" };
  const harness: PlatformHarness = {
    database,
    pool,
    service,
    serviceOrigin,
    platform,
    lines,
    startAnother: start,
    request: (method, path, body, headers = { authorization: `Bearer ${ADMIN_KEY}` }, to = platform) =>
      send(`http://127.0.0.1:${to.port}`, method, path, {
        headers: { ...json(body), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    admin: (method, path, body) =>
      send(serviceOrigin, method, path, {
        headers: { ...json(body), authorization: `Bearer ${ADMIN_KEY}` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    async publish(files = greeter("1.0.0"), query = "") {
      const folder = await mkdtemp(join(tmpdir(), "parley-published-"));
      for (const [path, content] of Object.entries(files)) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), typeof content === "string" ? content : JSON.stringify(content));
      }
      const { package: packed, findings } = await packProject(folder, await createProjectTools());
      await rm(folder, { recursive: true });
      if (!packed) throw new Error(JSON.stringify(findings));
      const about = (files["package.json"] ?? {}) as { name?: string; version?: string };
      const named = `name=${about.name ?? ""}&version=${about.version ?? ""}`;
      const reply = await send<PublishedVersion>(
        `http://127.0.0.1:${platform.port}`,
        "POST",
        `/platform/packages?${query === "" ? named : query}`,
        {
          headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/zip" },
          body: new Uint8Array(packed.zip),
        },
      );
      if (reply.status !== 201) throw new Error(JSON.stringify(reply.body));
      return reply.body;
    },
    async install(account, body = { name: "greeter" }) {
      const reply = await harness.request<InstalledApp>("POST", `/platform/accounts/${account}/apps`, body);
      if (reply.status !== 201) throw new Error(JSON.stringify(reply.body));
      return reply.body;
    },
    async client(account) {
      const known = clients.get(account);
      if (known) return known;
      const { token } = await service.admin.issueToken({ account, name: `test ${account}` });
      const client = parleyClient({
        url: account === "acme" ? `${serviceOrigin}/suite/acme/v2` : `${serviceOrigin}/v2`,
        token,
      });
      clients.set(account, client);
      return client;
    },
    async write(account, text) {
      const client = await harness.client(account);
      const { channels } = await client.channels.listChannels({ query: {} });
      const user = await client.users.createUser({ body: { first_name: "Kim" } });
      const conversation = await client.conversations.createConversation({
        body: {
          channel_id: channels[0]?.id ?? "",
          users: [{ id: user.id }],
          messages: [{ message_parts: [{ text: { content: text } }], actor_type: "user", actor_id: user.id }],
        },
      });
      return conversation.conversation_id;
    },
    async replies(account, conversation) {
      const client = await harness.client(account);
      const { messages } = await client.messages.listMessages({ params: { conversation_id: conversation }, query: {} });
      return messages
        .filter(({ actor_type }) => actor_type === "bot")
        .map(({ message_parts }) => message_parts[0]?.text?.content ?? "")
        .reverse();
    },
    untilReplies: (account, conversation, count) =>
      harness.until(async () => {
        const replies = await harness.replies(account, conversation);
        return replies.length >= count ? replies : undefined;
      }),
    async until(look) {
      for (let waited = 0; waited < 15_000; waited += 50) {
        const found = await look();
        if (found !== undefined) return found;
        await wait(50);
      }
      throw new Error(`it did not come:\n${lines.join("\n")}`);
    },
    async close() {
      await Promise.all(platforms.map((one) => one.close()));
      await service.close();
      await pool.end();
      await database.close();
      await rm(dataFolder, { recursive: true, force: true });
    },
  };
  return harness;
}
