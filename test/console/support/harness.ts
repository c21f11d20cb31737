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
import type { AccountDocument, MessagePart } from "@parley/contract";
import type { Browser, BrowserContext, BrowserContextOptions, Page, Request } from "playwright-core";
import { startParley, temporaryFolder, type StartOptions } from "../../support/parley-process.ts";
import {
  operatedInstance,
  sharedBrowser,
  sharedInstance,
  type OperatedInstance,
} from "../../support/shared-instance.ts";

/** A signed-in agent with a browser of its own. */
export interface AgentBrowser {
  readonly context: BrowserContext;
  readonly page: Page;
  /** The API with the session of the browser, whose pages can read it. */
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
export interface ConsoleHarness extends OperatedInstance {
  readonly browser: Browser;
  /** The API with the key that the start prints. */
  readonly client: ParleyClient;
  /** Id of the first topic. */
  readonly channelId: string;
  /** Creates a link that signs an agent in once. @shape email: the account's owner when absent */
  signInLink(email?: string): Promise<string>;
  /** Signs in by a new link. @shape email: the account's owner when absent */
  visit(email?: string, options?: BrowserContextOptions): Promise<AgentBrowser>;
  /** A customer who begins a conversation. -> ids, and functions to go on */
  beginConversation(name: string, text: string, channelId?: string): Promise<CustomerConversation>;
  /** Imports a conversation with one message of a bot. @shape customer: fields of the user's record. -> id of the conversation */
  importMessage(parts: readonly MessagePart[], customer?: object): Promise<string>;
  /** Closes what the file has opened in the browser, and an instance of its own. */
  stop(): Promise<void>;
}

export interface CustomerConversation {
  readonly id: string;
  readonly userId: string;
  write(text: string): Promise<string>;
}

/** Longest time for the console to show a change. @units milliseconds */
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

/**
 * Messages of the browser that are not errors of the page. A page that is left while it saves a draft does not receive the reply: the next page saves
 * the draft again, is told that it was changed, and compares it.
 */
const isExpected = (text: string, url: string): boolean =>
  /favicon/.test(text) || (text.includes("409 (Conflict)") && url.endsWith("/draft"));

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
      const { url } = message.location();
      if (message.type() === "error" && !isExpected(message.text(), url))
        errors.push(`${message.text()} ${url}`.trim());
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

const harnessOf = async (instance: OperatedInstance, end: () => Promise<void>): Promise<ConsoleHarness> => {
  const { origin } = instance;
  const browser = await sharedBrowser();
  const client = parleyClient({ url: instance.service, token: instance.token });
  // The admin key reads them: calls with the API key would count.
  const { channels = [] } = await instance.administer<AccountDocument>("GET", "/admin/accounts/acme");
  const channelId = channels[0]?.id ?? "";
  const signInLink = async (email?: string): Promise<string> => {
    const path = "/admin/accounts/acme/sign-in-links";
    return (await instance.administer<{ readonly link: string }>("POST", path, { email })).link;
  };

  return {
    ...instance,
    browser,
    client,
    channelId,
    signInLink,
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
      await page.goto(await signInLink(email));
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
    async importMessage(message_parts, customer = {}) {
      const id = randomUUID();
      const at = (minute: number) => ({ created_time: `2026-02-03T10:0${minute}:00.000Z` });
      const records = [
        { type: "account", name: "acme" },
        { type: "user", id: `user ${id}`, first_name: "Ida", ...customer, ...at(0) },
        { type: "conversation", conversation_id: id, channel_id: channelId, user_id: `user ${id}`, ...at(1) },
        { type: "message", id: `message ${id}`, conversation_id: id, actor_type: "bot", message_parts, ...at(2) },
      ];
      const lines = records.map((record) => JSON.stringify(record)).join("\n");
      const progress = await instance.administer<string>("POST", "/admin/import", lines);
      if (!progress.includes('"done":true')) throw new Error(`The import failed: ${progress}`);
      return id;
    },
    async stop() {
      await Promise.all(browser.contexts().map((context) => context.close()));
      await end();
    },
  };
};

/** The shared instance in the state after `npm start -- --no-install`. @shape hasConcierge: in that after `npm start` */
export const consoleHarness = async ({ hasConcierge = false } = {}): Promise<ConsoleHarness> =>
  harnessOf(await sharedInstance(hasConcierge ? "started" : "without apps"), () => Promise.resolve());

/** An instance of the file's own. */
export interface OwnConsoleHarness extends ConsoleHarness {
  /** Stops the service. -> starts it again with the same data, at the same address */
  halt(): Promise<() => Promise<void>>;
}

/** An instance of the file's own, for another start. */
export const ownConsoleHarness = async (options: StartOptions): Promise<OwnConsoleHarness> => {
  const data = await temporaryFolder("parley-console-");
  let running = await startParley(data.folder, options);
  const { port } = new URL(running.service);
  const harness = await harnessOf(await operatedInstance(running, data.folder), async () => {
    await running.stop();
    await data.remove();
  });
  return {
    ...harness,
    async halt() {
      await running.stop();
      return async () => {
        const env = { ...options.env, PARLEY_SERVICE_PORT: port };
        running = await startParley(data.folder, { ...options, env });
      };
    },
  };
};
