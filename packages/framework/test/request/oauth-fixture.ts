import { logText } from "@parley/telemetry";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { InstallRequestAnswer, OAuthConfig, RequestTemplate } from "@parley/contract";
import type { Database } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import type { AppHost } from "../../src/platform/app-host/app-host.ts";
import { startAppHost } from "../../src/platform/app-host/start-app-host.ts";
import { realHostPorts } from "../../src/environment/ports.ts";
import {
  CLIENT_ID,
  CLIENT_SECRET,
  startFakeOAuthProvider,
  type FakeOAuthProvider,
} from "../support/fake-oauth-provider.ts";

const LOGIN = "https://login.provider.example";

export const INTEGRATION = {
  display_name: "Provider",
  client_id: CLIENT_ID,
  client_secret: CLIENT_SECRET,
  authorize_url: `${LOGIN}/authorize`,
  token_url: `${LOGIN}/token`,
  options: { scope: "read write" },
};

const manifestFor = (requests: object) => ({
  "platform-version": "3.0",
  modules: {
    common: { requests: Object.fromEntries(Object.keys(requests).map((name) => [name, {}])) },
    chat_user: { events: { onUserCreate: { handler: "hear" } } },
  },
});

const template = (options: RequestTemplate["options"] = { isOAuth: true }) => ({
  schema: {
    method: "GET",
    host: "api.provider.example",
    path: "/me",
    headers: { Authorization: "Bearer <%= access_token %>" },
  },
  options,
});

/** A minimal browser for authorizations: keeps the cookies of each host and follows redirects. */
interface Visitor {
  /** Sends one request. `at` is a URL or a path of the app host. */
  visit(at: string, init?: RequestInit): Promise<Response>;
  /** Follows all redirects until a page is returned. */
  follow(
    at: string,
    init?: RequestInit,
  ): Promise<{ readonly status: number; readonly text: string; readonly url: string }>;
}

export interface OAuthFixture {
  readonly host: AppHost;
  readonly provider: FakeOAuthProvider;
  readonly database: Database;
  readonly lines: string[];
  /** Advances the clock. @units milliseconds */
  advance(ms: number): void;
  visitor(): Visitor;
  /** Sends the request of a template as a callback of the installation page does. */
  call(name?: string): Promise<InstallRequestAnswer>;
  close(): Promise<void>;
}

/** Starts an app host and a fake OAuth provider that authorizes its app, over real HTTP and on a real database. */
export async function oauthFixture(
  integrations: OAuthConfig["integrations"],
  files: { readonly "config/requests.json"?: object; readonly [path: string]: unknown } = {},
  port = 0,
): Promise<OAuthFixture> {
  const base = await mkdtemp(join(tmpdir(), "parley-oauth-"));
  const folder = join(base, "app");
  const [first, second] = Object.keys(integrations);
  const isOne = second === undefined;
  const requests = files["config/requests.json"] ?? {
    call: template(isOne ? undefined : { isOAuth: true, oauth: first }),
    other: template(isOne ? undefined : { isOAuth: true, oauth: second }),
    named: template({ oauth: first }),
  };
  const all: Record<string, unknown> = {
    "manifest.json": manifestFor(requests),
    "config/iparams.json": {},
    "config/requests.json": requests,
    "config/oauth_config.json": { integrations },
    "server/server.js": "exports = { hear: function (args) {} };",
    ...files,
  };
  for (const [file, content] of Object.entries(all)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), typeof content === "string" ? content : JSON.stringify(content));
  }
  const [database, provider] = await Promise.all([testDatabase(), startFakeOAuthProvider()]);
  const lines: string[] = [];
  let ahead = 0;
  const host = await startAppHost({
    folder,
    database,
    dataFolder: base,
    port,
    hosts: new Map([["acme.parley.localhost", { origin: "http://127.0.0.1:9" }]]),
    maps: new Map([["*.provider.example", provider.origin]]),
    domainSuffix: ".parley.localhost",
    eventSecret: () => `whsec_${randomBytes(24).toString("base64")}`,
    log: (...line) => void lines.push(logText(...line)),
    ports: { ...realHostPorts, now: () => new Date(realHostPorts.now().getTime() + ahead) },
  });
  const origin = `http://localhost:${host.port}`;

  const visitor = (): Visitor => {
    const cookies = new Map<string, string>();
    const visit = async (at: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers);
      headers.set("cookie", [...cookies].map((pair) => pair.join("=")).join("; "));
      const answer = await fetch(new URL(at, origin), { ...init, headers, redirect: "manual" });
      for (const cookie of answer.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        cookies.set(name, value);
      }
      return answer;
    };
    return {
      visit,
      async follow(at, init) {
        let url = new URL(at, origin).href;
        for (let answer = await visit(url, init); ; answer = await visit(url)) {
          const location = answer.headers.get("location");
          const text = await answer.text();
          if (location === null) return { status: answer.status, text, url };
          url = new URL(location, url).href;
        }
      },
    };
  };

  return {
    host,
    provider,
    database,
    lines,
    advance: (ms) => void (ahead += ms),
    visitor,
    async call(name = "call") {
      const page = await (await fetch(`${host.url}/custom_configs`)).text();
      const token = /token&quot;:&quot;([\w-]+)/.exec(page)?.[1] ?? "";
      const answer = await fetch(`${host.url}/custom_configs/request`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-page-token": token },
        body: JSON.stringify({ question: { name, options: {} }, values: {} }),
      });
      return (await answer.json()) as InstallRequestAnswer;
    },
    async close() {
      await host.close();
      await Promise.all([provider.close(), database.close()]);
      await rm(base, { recursive: true, force: true });
    },
  };
}
