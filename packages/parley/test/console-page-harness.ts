import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SESSION_TOKEN, type ConsoleApp, type SignInResult } from "@parley/contract";
import { build } from "esbuild";
import type { Browser, BrowserContext, Frame, Page } from "playwright-core";
import { waitUntil } from "../../../test/support/wait-until.ts";
import { waitForExpression } from "../../framework/test/front/front-fixture.ts";

/** A page at the origin of the service that embeds apps as the console does, by the console's own module, in a real browser. */

/** A browser's part of an agent's session. */
export interface ConsoleSession {
  readonly agentId: string;
  /** `name=value` */
  readonly cookie: string;
  readonly token: string;
}

/** Actions of an app on the page, in order: the name of the handler and its arguments. */
type RecordedAct = readonly [name: string, ...args: unknown[]];

export interface ConsolePage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** The apps that the service lists for the session. */
  apps(): Promise<ConsoleApp[]>;
  /** Embeds a place, activates it and opens a conversation. @shape place: its id; conversation: absent without an open conversation */
  embed(app: ConsoleApp, place: string, conversation?: string): Promise<void>;
  /** Calls a method of the embedded app's handle: an expression in which it is `frame`. */
  onFrame<T>(expression: string): Promise<T>;
  acts(): Promise<RecordedAct[]>;
  /** Waits for an act with the name. -> its arguments */
  act(name: string): Promise<readonly unknown[]>;
  /** The frame of the app's own page, with its client loaded. */
  appFrame(file?: string): Promise<Frame>;
}

const MODULE = fileURLToPath(new URL("../../console/src/apps/embedding/index.ts", import.meta.url));
const FRONT_PAGES = fileURLToPath(new URL("../../framework/test/fixtures/front-pages", import.meta.url));

/** Files of the fixture app with a page for each kind of place, as they are published. */
export const frontPagesFiles = async (): Promise<Record<string, string>> => {
  const entries = await readdir(FRONT_PAGES, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(FRONT_PAGES.length + 1));
  const files = await Promise.all(
    paths.map(async (path) => [path, await readFile(join(FRONT_PAGES, path), "utf8")] as const),
  );
  return Object.fromEntries(files);
};

/** Signs an agent in by a password link. @shape serviceOrigin: as browsers open it */
export const signInToConsole = async (
  serviceOrigin: string,
  adminKey: string,
  { account, agent }: { readonly account: string; readonly agent: string },
): Promise<ConsoleSession> => {
  const post = async <T>(path: string, headers: Record<string, string>, body: unknown) => {
    const response = await fetch(serviceOrigin + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${await response.text()}`);
    return { cookies: response.headers.getSetCookie(), body: (await response.json()) as T };
  };
  const reset = `/admin/accounts/${account}/agents/${agent}/password-reset`;
  const { link } = (await post<{ link: string }>(reset, { authorization: `Bearer ${adminKey}` }, {})).body;
  const { cookies, body } = await post<SignInResult>(
    "/identity/password",
    { origin: serviceOrigin },
    { token: link.slice(-43), password: "correct horse battery staple" },
  );
  const cookie = cookies[0]?.split(";", 1)[0];
  if (cookie === undefined || body.session_token === undefined) throw new Error("The sign-in gave no session.");
  return { agentId: agent, cookie, token: body.session_token };
};

let script: Promise<string> | undefined;
const hostScript = (): Promise<string> =>
  (script ??= build({
    stdin: {
      contents: `
        import { createAppFrame } from ${JSON.stringify(MODULE)};
        const acts = (window.acts = []);
        window.answers = { confirm: true };
        const record = (name) => (...args) => {
          acts.push([name, ...args]);
          if (window.answers[name] instanceof Error) throw window.answers[name];
          return window.answers[name];
        };
        const api = (method, path) => fetch("/console/api" + path, { method, headers: { ${JSON.stringify(SESSION_TOKEN)}: window.token } });
        window.listApps = async () => (await api("GET", "/apps")).json();
        window.embed = (app, place) => {
          const names = ["notify", "confirm", "setEditorText", "setElementState", "click", "resize", "close", "ready", "failed"];
          window.frame = createAppFrame({
            app,
            place,
            container: document.querySelector("#place"),
            handlers: Object.fromEntries(names.map((name) => [name, record(name)])),
            requestTicket: async () => {
              const reply = await api("POST", "/apps/" + encodeURIComponent(app.name) + "/ticket");
              acts.push(["ticket", reply.status]);
              const body = await reply.json();
              if (!reply.ok) throw new Error(body.message);
              return body.ticket;
            },
          });
        };`,
      resolveDir: fileURLToPath(new URL(".", import.meta.url)),
    },
    bundle: true,
    format: "iife",
    target: "es2022",
    write: false,
  }).then(({ outputFiles }) => outputFiles[0]?.text ?? ""));

const HTML = `<!doctype html><html lang="en"><title>Console</title><body style="margin: 0">
  <button id="before">Before</button><div style="display: flex"><main style="flex: 1; height: 500px"><h1>Conversation</h1></main>
  <aside style="transform: translateX(0); overflow: hidden"><div id="place" style="width: 320px; height: 400px"></div></aside></div></body></html>`;

/** Frames of other sites have the process of their page, to which the cookie controls of a page are limited. */
export const COOKIE_CONTROL_ARGUMENTS = [
  "--disable-site-isolation-trials",
  "--disable-features=IsolateOrigins,site-per-process,OriginIsolationHeader",
];

export interface ConsolePageOptions {
  readonly browser: Browser;
  /** Origin of the service, as the browser opens it. */
  readonly origin: string;
  readonly session: ConsoleSession;
}

/** Opens the page in a browser that blocks cookies in frames of other sites. */
export const openConsolePage = async ({ browser, origin, session }: ConsolePageOptions): Promise<ConsolePage> => {
  const [context, content] = await Promise.all([browser.newContext({ ignoreHTTPSErrors: true }), hostScript()]);
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const log: string[] = [];
  page.on("console", (message) => log.push(message.text()));
  page.on("requestfailed", (request) => log.push(`${request.url()}: ${request.failure()?.errorText}`));
  const connection = await context.newCDPSession(page);
  await connection.send("Network.enable");
  // Browsers of different versions need different members.
  const controls = {
    enableThirdPartyCookieRestriction: true,
    disableThirdPartyCookieMetadata: true,
    disableThirdPartyCookieHeuristics: true,
  };
  await connection.send("Network.setCookieControls", controls);
  const [name = "", value = ""] = session.cookie.split(/=(.*)/s);
  const secure = origin.startsWith("https:");
  await context.addCookies([{ name, value, url: origin, httpOnly: true, sameSite: "Lax", secure }]);
  // An answer of the service itself: a page that the test invents would count as one of a public network, which may not load local frames.
  await page.goto(`${origin}/live`);
  await page.setContent(HTML);
  await page.addScriptTag({ content });
  await page.evaluate(`window.token = ${JSON.stringify(session.token)}`);

  const acts = () => page.evaluate<RecordedAct[]>("window.acts");
  return {
    page,
    context,
    acts,
    async apps() {
      const read = () => page.evaluate<{ apps?: ConsoleApp[]; is_complete?: boolean }>("window.listApps()");
      // On a busy computer a platform can answer too slowly; the console asks again, too.
      return waitUntil(async () => {
        const { apps = [], is_complete } = await read();
        return is_complete === false ? undefined : apps;
      });
    },
    async embed(app, placeId, conversation) {
      const place = app.places.find(({ id }) => id === placeId) ?? { id: placeId, kind: "sidebar", label: placeId };
      await page.evaluate(`window.embed(${JSON.stringify(app)}, ${JSON.stringify(place)})`);
      await page.evaluate(
        `frame.activate(), frame.open(${JSON.stringify(conversation) ?? "undefined"}, ${JSON.stringify(session.agentId)})`,
      );
    },
    onFrame: (expression) => page.evaluate(expression),
    async act(wanted) {
      await page.waitForFunction(`window.acts.some(([name]) => name === ${JSON.stringify(wanted)})`, undefined, {
        polling: 50,
      });
      return ((await acts()).findLast(([one]) => one === wanted) ?? [""]).slice(1);
    },
    async appFrame(file = "index.html") {
      const isWanted = (one: Frame) => one.url().includes(`/app/${file}`);
      const frame =
        page.frames().find(isWanted) ??
        (await page.waitForEvent("framenavigated", isWanted).catch(async () => {
          throw new Error(`The app's page did not load:\n${[JSON.stringify(await acts()), ...log].join("\n")}`);
        }));
      await waitForExpression(frame, "window.client !== undefined");
      return frame;
    },
  };
};
