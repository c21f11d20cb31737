import { request } from "node:http";
import type { SessionAgent } from "@parley/contract";
import { realHostPorts } from "../../src/environment/ports.ts";
import type { AppHostOptions } from "../../src/platform/app-host/app-host.ts";
import {
  cookieOfSession,
  startFakeIdentityService,
  type FakeIdentityService,
} from "../support/fake-identity-service.ts";
import { frontFixture, type FrontFixture } from "../front/front-fixture.ts";

interface HostResponse {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

interface HostRequest {
  readonly method?: string;
  /** Name in the Host header; localhost when absent. */
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export const SERVICE_PAGES = "http://localhost:10002";

/** An app host whose pages need a session, a fake service for its sessions, and requests with every header as given. */
export interface SignInFixture {
  readonly front: FrontFixture;
  readonly identity: FakeIdentityService;
  send(path: string, asked?: HostRequest): Promise<HostResponse>;
  /** Signs an agent in. -> the Cookie header @shape name: unique part of the cookie */
  signIn(name: string, agent: SessionAgent): string;
  /** Loads a page as a person does. -> its page token */
  tokenOf(path: string, cookie: string): Promise<string>;
  /** A request of a page, as browsers send it. */
  post(path: string, body: unknown, headers: Readonly<Record<string, string>>): Promise<HostResponse>;
  /** Advances the monotonic clock of the host until no cached answer about a session is valid. */
  expireAnswers(): void;
  close(): Promise<void>;
}

export const NAVIGATION = {
  accept: "text/html",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
  "sec-fetch-site": "none",
};

export const signInFixture = async (
  files: Readonly<Record<string, string>> = {},
  { isRequired = true, ...more }: { readonly isRequired?: boolean } & Partial<AppHostOptions> = {},
): Promise<SignInFixture> => {
  const identity = await startFakeIdentityService();
  const { origin, adminKey } = identity;
  let aheadMs = 0;
  const host: Partial<AppHostOptions> = {
    identity: { origin, adminKey, account: "acme" },
    ...(isRequired && { signIn: { serviceOrigin: SERVICE_PAGES } }),
    ports: { ...realHostPorts, monotonicMs: () => realHostPorts.monotonicMs() + aheadMs },
    ...more,
  };
  const front = await frontFixture("front-pages", { files, host });
  const send = (path: string, { method = "GET", host = "localhost", headers = {}, body }: HostRequest = {}) =>
    new Promise<HostResponse>((resolve, reject) => {
      const all = { host: `${host}:${front.host.port}`, ...headers };
      const outgoing = request(`${front.host.url}${path}`, { method, headers: all, agent: false }, (reply) => {
        let text = "";
        reply.setEncoding("utf8").on("data", (part: string) => (text += part));
        reply.on("end", () => resolve({ status: reply.statusCode ?? 0, text, headers: reply.headers }));
      });
      outgoing.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body));
    });
  return {
    front,
    identity,
    send,
    signIn(name, agent) {
      identity.sessions.set(cookieOfSession(name), agent);
      return `parley_session=${cookieOfSession(name)}`;
    },
    async tokenOf(path, cookie) {
      const { text } = await send(path, { headers: { ...NAVIGATION, cookie } });
      return /token&quot;:&quot;([\w-]+)&quot;/.exec(text)?.[1] ?? "";
    },
    post: (path, body, headers) =>
      send(path, {
        method: "POST",
        body,
        headers: {
          "content-type": "application/json",
          "sec-fetch-site": "same-origin",
          "sec-fetch-mode": "cors",
          ...headers,
        },
      }),
    expireAnswers: () => void (aheadMs += 100),
    async close() {
      await front.close();
      await identity.close();
    },
  };
};
