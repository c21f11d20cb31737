import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parleyClient, type ParleyClient } from "@parley/client";
import type { InstalledApp, PublishedVersion } from "@parley/contract";
import { createProjectTools, packProject } from "@parley/framework/authoring";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { greeter, type TestAppFiles } from "./greeter-app.ts";

export interface PlatformReply<B = Record<string, unknown>> {
  readonly status: number;
  readonly body: B;
}

/** Actions of a person with the admin key on a platform and its service, over HTTP. The accounts are acme and solo. */
export interface PlatformClient {
  /** Sends a request to the platform's API, with the admin key unless headers are given. */
  request<B = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
    origin?: string,
  ): Promise<PlatformReply<B>>;
  /** Sends a request to the service's API for the operator. */
  admin<B = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<PlatformReply<B>>;
  publish(files?: TestAppFiles, query?: string): Promise<PublishedVersion>;
  install(account: string, body?: object): Promise<InstalledApp>;
  /** A client of the account's API with all permissions. */
  client(account: string): Promise<ParleyClient>;
  /** Creates a conversation of a new customer. -> its id */
  write(account: string, text: string): Promise<string>;
  /** Adds a message of the customer to a conversation. */
  say(account: string, conversation: string, text: string): Promise<void>;
  /** Texts of the messages that are not a customer's, oldest first. */
  replies(account: string, conversation: string): Promise<string[]>;
  /** Polls until the conversation has this number of replies. @errors after ninety seconds, with the log */
  untilReplies(account: string, conversation: string, count: number): Promise<string[]>;
  /** Polls until `look` returns a value. @errors after ninety seconds, with the log */
  until<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T>;
}

interface PlatformClientOptions {
  readonly platformOrigin: string;
  readonly serviceOrigin: string;
  readonly adminKey: string;
  readonly log: () => string;
}

/** Packs an app. */
const packedApp = async (files: TestAppFiles): Promise<Uint8Array<ArrayBuffer>> => {
  const folder = await mkdtemp(join(tmpdir(), "parley-published-"));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), typeof content === "string" ? content : JSON.stringify(content));
  }
  const { package: packed, findings } = await packProject(folder, await createProjectTools());
  await rm(folder, { recursive: true });
  if (!packed) throw new Error(JSON.stringify(findings));
  return new Uint8Array(packed.zip);
};

export const platformClient = (options: PlatformClientOptions): PlatformClient => {
  const { platformOrigin, serviceOrigin, adminKey } = options;
  const clients = new Map<string, Promise<ParleyClient>>();
  const authorization = `Bearer ${adminKey}`;

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
  const newClient = async (account: string): Promise<ParleyClient> => {
    const { body } = await self.admin<{ token: string }>("POST", `/admin/accounts/${account}/tokens`, { name: "test" });
    const path = account === "acme" ? "/suite/acme/v2" : "/v2";
    return parleyClient({ url: serviceOrigin + path, token: body.token });
  };

  const self: PlatformClient = {
    request: (method, path, body, headers = { authorization }, origin = platformOrigin) =>
      send(origin, method, path, {
        headers: { ...json(body), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    admin: (method, path, body) =>
      send(serviceOrigin, method, path, {
        headers: { ...json(body), authorization },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    async publish(files = greeter("1.0.0"), query = "") {
      const about = (files["package.json"] ?? {}) as { name?: string; version?: string };
      const named = `name=${about.name ?? ""}&version=${about.version ?? ""}`;
      const reply = await send<PublishedVersion>(
        platformOrigin,
        "POST",
        `/platform/packages?${query === "" ? named : query}`,
        { headers: { authorization, "content-type": "application/zip" }, body: await packedApp(files) },
      );
      if (reply.status !== 201) throw new Error(JSON.stringify(reply.body));
      return reply.body;
    },
    async install(account, body = { name: "greeter" }) {
      const reply = await self.request<InstalledApp>("POST", `/platform/accounts/${account}/apps`, body);
      if (reply.status !== 201) throw new Error(JSON.stringify(reply.body));
      return reply.body;
    },
    client(account) {
      const client = clients.get(account) ?? newClient(account);
      clients.set(account, client);
      return client;
    },
    async write(account, text) {
      const client = await self.client(account);
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
    async say(account, conversation, text) {
      const client = await self.client(account);
      const params = { conversation_id: conversation };
      const { messages } = await client.messages.listMessages({ params, query: {} });
      const actor_id = messages.find(({ actor_type }) => actor_type === "user")?.actor_id ?? "";
      const body = { message_parts: [{ text: { content: text } }], actor_type: "user" as const, actor_id };
      await client.messages.createMessage({ params, body });
    },
    async replies(account, conversation) {
      const client = await self.client(account);
      const params = { conversation_id: conversation };
      const { messages } = await client.messages.listMessages({ params, query: { items_per_page: 50 } });
      return messages
        .filter(({ actor_type }) => actor_type === "bot")
        .map(({ message_parts }) => message_parts[0]?.text?.content ?? "")
        .reverse();
    },
    untilReplies: (account, conversation, count) =>
      self.until(async () => {
        const replies = await self.replies(account, conversation);
        return replies.length >= count ? replies : undefined;
      }),
    until: (look) => waitUntil(look, { details: options.log }),
  };
  return self;
};
