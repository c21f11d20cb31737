import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { parleyClient, type ParleyClient } from "@parley/client";
import { ADMIN_ROUTES } from "@parley/client/admin";
import {
  adminClient,
  sessionClient,
  type AdminClient,
  type SessionClient,
  type SessionClientOptions,
} from "@parley/client/session";
import type { MessagePart } from "@parley/contract";
import type { Browser, BrowserContext, BrowserContextOptions, Page, Request } from "playwright-core";
import { launchBrowser } from "../../packages/framework/test/browser.ts";
import { parley, startParley, temporaryFolder, type RunningParley, type StartOptions } from "../parley-process.ts";

/** A signed-in agent with a browser of its own. */
export interface AgentBrowser {
  readonly context: BrowserContext;
  readonly page: Page;
  /** The API with the session of the browser: what its pages can read. */
  readonly session: SessionClient;
  /** The same for the administration. */
  readonly administration: AdminClient;
  /** Errors of all tabs: of scripts, of the content policy, of requests that failed on the page's side. */
  readonly errors: string[];
  /** Requests of all tabs since the sign-in, as `METHOD path`. */
  readonly requests: string[];
  /** The tabs that have a connection to a path, such as a stream: a tab for each connection. */
  connectionsTo(path: string): readonly Page[];
  /** Another tab of the same browser. */
  tab(path: string): Promise<Page>;
  /** Opens a page of the console in the first tab. @shape path: below the origin */
  open(path: string): Promise<void>;
  close(): Promise<void>;
}

/** What `npm start` runs, with a browser: the console on real data. */
export interface ConsoleHarness extends RunningParley {
  readonly origin: string;
  readonly dataFolder: string;
  readonly browser: Browser;
  /** The API with the key that the start prints. */
  readonly client: ParleyClient;
  /** Id of the first topic. */
  readonly channelId: string;
  /** Signs in by a new link. @shape email: the account's owner when absent */
  visit(email?: string, options?: BrowserContextOptions): Promise<AgentBrowser>;
  /** A customer who begins a conversation. -> ids, and functions to go on */
  beginConversation(name: string, text: string, channelId?: string): Promise<CustomerConversation>;
  /** Imports a conversation with one message of a bot. -> id of the conversation */
  importMessage(parts: readonly MessagePart[]): Promise<string>;
}

export interface CustomerConversation {
  readonly id: string;
  readonly userId: string;
  write(text: string): Promise<string>;
}

/** Longest time for the console to show what has happened. @units milliseconds */
const SHOWN_WITHIN_MS = 20_000;

/** Repeats a check until it passes. @errors that of the last attempt */
export const eventually = async (check: () => unknown, withinMs = SHOWN_WITHIN_MS): Promise<void> => {
  const end = performance.now() + withinMs;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
    }
    await wait(50);
  }
};

const WIDE = { width: 1_440, height: 900 };

/** Messages of the browser that are no error of the page. */
const isExpected = (text: string): boolean => /favicon/.test(text);

interface Traffic {
  readonly errors: string[];
  readonly requests: string[];
  /** Requests that have not ended, with the tabs that sent them. */
  readonly open: Map<Request, Page>;
}

const watch = (context: BrowserContext): Traffic => {
  const traffic: Traffic = { errors: [], requests: [], open: new Map() };
  const { errors, requests, open } = traffic;
  context.on("page", (page) => {
    page.on("pageerror", (error) => void errors.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error" && !isExpected(message.text()))
        errors.push(`${message.text()} ${message.location().url}`.trim());
    });
    page.on("request", (request) => {
      requests.push(`${request.method()} ${new URL(request.url()).pathname}`);
      open.set(request, page);
    });
    page.on("requestfinished", (request) => void open.delete(request));
    page.on("requestfailed", (request) => void open.delete(request));
    // Requests of a closed tab end without an event.
    page.on("close", () => {
      for (const [request, owner] of open) if (owner === page) open.delete(request);
    });
  });
  return traffic;
};

/** How clients send requests with the session of a browser, outside of its pages. */
const sessionOptionsOf = async (origin: string, page: Page): Promise<SessionClientOptions> => {
  const token = await page.evaluate(() => localStorage.getItem("parley-session-token"));
  const cookies = await page.context().cookies(origin);
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
  return {
    url: origin,
    sessionToken: () => token ?? undefined,
    fetch: (address, init = {}) => {
      const headers = new Headers(init.headers);
      headers.set("cookie", cookie);
      headers.set("origin", origin);
      return fetch(address, { ...init, headers });
    },
  };
};

export const consoleHarness = async (options: StartOptions = {}): Promise<ConsoleHarness> => {
  const data = await temporaryFolder("parley-console-");
  const [running, browser] = await Promise.all([startParley(data.folder, options), launchBrowser()]);
  const { origin } = new URL(running.service);
  const client = parleyClient({ url: running.service, token: running.token });
  const { channels } = await client.channels.listChannels({ query: { items_per_page: 1 } });
  const channelId = channels[0]?.id ?? "";

  const linkFor = async (email: string | undefined): Promise<string> => {
    const byEmail = email === undefined ? [] : ["--email", email];
    const { status, stdout, stderr } = await parley(["sign-in", "--account", "acme", "--json", ...byEmail], {
      env: { PARLEY_DATA: data.folder },
    });
    if (status !== 0) throw new Error(`parley sign-in: ${stderr}`);
    return (JSON.parse(stdout) as { readonly link: string }).link;
  };

  return {
    ...running,
    origin,
    dataFolder: data.folder,
    browser,
    client,
    channelId,
    async visit(email, contextOptions = {}) {
      const context = await browser.newContext({
        viewport: WIDE,
        reducedMotion: "reduce",
        locale: "en-GB",
        ...contextOptions,
      });
      const { errors, requests, open } = watch(context);
      context.setDefaultTimeout(SHOWN_WITHIN_MS);
      const page = await context.newPage();
      await page.goto(await linkFor(email));
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL("**/console/**");
      requests.length = 0;
      const sessionOptions = await sessionOptionsOf(origin, page);
      return {
        context,
        page,
        session: sessionClient(sessionOptions),
        administration: adminClient(sessionOptions, ADMIN_ROUTES),
        errors,
        requests,
        connectionsTo: (path) =>
          [...open].flatMap(([request, owner]) => (new URL(request.url()).pathname === path ? [owner] : [])),
        async tab(path) {
          const other = await context.newPage();
          await other.goto(origin + path);
          return other;
        },
        async open(path) {
          await page.goto(origin + path);
        },
        close: () => context.close(),
      };
    },
    async beginConversation(name, text, topic = channelId) {
      const user = await client.users.createUser({
        body: { first_name: name, email: `${name.toLowerCase().replaceAll(/\W+/g, ".")}@customer.example` },
      });
      const message = (content: string) => ({
        actor_type: "user" as const,
        actor_id: user.id,
        message_parts: [{ text: { content } }],
      });
      const { conversation_id: id } = await client.conversations.createConversation({
        body: { channel_id: topic, users: [{ id: user.id }], messages: [message(text)] },
      });
      return {
        id,
        userId: user.id,
        write: async (content) =>
          (await client.messages.createMessage({ params: { conversation_id: id }, body: message(content) })).id,
      };
    },
    async importMessage(message_parts) {
      const id = randomUUID();
      const at = (minute: number) => ({ created_time: `2026-02-03T10:0${minute}:00.000Z` });
      const records = [
        { type: "account", name: "acme" },
        { type: "user", id: `user ${id}`, first_name: "Ida", ...at(0) },
        { type: "conversation", conversation_id: id, channel_id: channelId, user_id: `user ${id}`, ...at(1) },
        { type: "message", id: `message ${id}`, conversation_id: id, actor_type: "bot", message_parts, ...at(2) },
      ];
      const { status, stderr } = await parley(["import", "-", "--json"], {
        env: { PARLEY_DATA: data.folder },
        input: records.map((record) => JSON.stringify(record)).join("\n"),
      });
      if (status !== 0) throw new Error(`parley import: ${stderr}`);
      return id;
    },
    async stop() {
      await browser.close();
      await running.stop();
      await data.remove();
    },
  };
};
