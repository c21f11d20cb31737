import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { FetchMethod, IparamsConfig, RequestFailure } from "@parley/contract";
import { egress } from "@parley/egress";
import type { Installation } from "../../src/state/installations.ts";
import { createRequestMethod, type RequestMethodDeps } from "../../src/request/method.ts";
import { hostRoutes } from "../../src/request/host-maps.ts";
import { RequestRejected, type FetchCall, type HostRequestMethod } from "../../src/request/request-method.ts";
import { defaultHostSettings, type HostSettings } from "../../src/environment/settings.ts";
import { MANIFEST } from "../support/project-folder.ts";
import { noTokens } from "../support/no-tokens.ts";

export const DOMAIN = "acme.parley.localhost";
export const SECRET = "canary-71aa";

const iparams: IparamsConfig = {
  domain: { display_name: "Account", type: "domain", type_attributes: { product: "chat" } },
  host: { display_name: "Host", type: "text" },
  api_key: { display_name: "Key", type: "text", secure: true },
};

export const installation: Installation = {
  id: "i",
  account: "acme",
  domain: DOMAIN,
  values: { domain: DOMAIN, host: "own.example", name: "Ann" },
  secure: new Set(["api_key"]),
  version: 1,
  state: "active",
};

interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface RequestFixture {
  readonly received: ReceivedRequest[];
  /** Response to all further requests. */
  answer: { status: number; headers: Record<string, string>; body: string };
  method(
    project: Partial<ReturnType<RequestMethodDeps["project"]>>,
    settings?: Partial<HostSettings>,
  ): HostRequestMethod;
  close(): Promise<void>;
}

const DEFAULT_RESPONSE = { status: 200, headers: { "content-type": "application/json" }, body: '{"ok":true}' };

/** The request method with a real server that answers for every host below `.example`. */
export async function requestFixture(): Promise<RequestFixture> {
  const received: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      received.push({ method, url, headers, body });
      response.writeHead(fixture.answer.status, fixture.answer.headers).end(fixture.answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const egressClient = egress({ hosts: hostRoutes(new Map([[DOMAIN, { origin }]]), new Map([["*.example", origin]])) });
  const fixture: RequestFixture = {
    received,
    answer: DEFAULT_RESPONSE,
    method: (project, settings = {}) =>
      createRequestMethod({
        project: () => ({ manifest: MANIFEST, requests: {}, iparams, platformVersion: "3.0", ...project }),
        domainSuffix: ".parley.localhost",
        consents: { mayCall: async () => false },
        appSettings: { values: async () => ({ open: {}, secure: {} }) },
        installations: { secrets: async () => ({ api_key: SECRET }) },
        egress: egressClient,
        settings: { ...defaultHostSettings, requestTimeoutMs: 5_000, ...settings },
        allow: () => true,
        tokens: noTokens,
      }),
    async close() {
      await egressClient.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fixture;
}

/** A verb of `$request` as a handler uses it. */
export const verb = (
  method: FetchMethod,
  url: string,
  options?: unknown,
  more: Partial<FetchCall> = {},
): FetchCall => ({
  method,
  url,
  options,
  origin: "server",
  installation,
  ...more,
});

/** Returns the failure that a request is expected to reject with. */
export const failureOf = async (reply: Promise<unknown>): Promise<RequestFailure> => {
  const outcome: unknown = await reply.catch((error: unknown) => error);
  if (outcome instanceof RequestRejected) return outcome.failure;
  throw new Error("it was not rejected as a request is", { cause: outcome });
};
