import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Provider, { type Configuration } from "oidc-provider";
import { rsaKeys } from "./rsa-keys.ts";

/** What the provider knows about a person. The key is the subject. */
interface ProviderPerson {
  email: string;
  email_verified: boolean;
}

export const CLIENT = { id: "parley", secret: "a secret of this client" } as const;

/** A real OpenID Connect provider on loopback. */
export interface ProviderFixture {
  readonly issuer: string;
  /** May be changed by tests. */
  readonly people: Map<string, ProviderPerson>;
  /** Who signs in next, without a page. */
  next: string;
  /** Requests, as method and path. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** -> a server on a free port of loopback @shape handle: called for each request */
export const listenOnLoopback = async (handle: (request: IncomingMessage, response: ServerResponse) => void) => {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

const jwks = () => {
  const [{ privateKey }] = rsaKeys();
  return { keys: [{ ...privateKey.export({ format: "jwk" }), kid: "1", alg: "RS256", use: "sig" }] };
};

const LOGIN_PAGE = (action: string) =>
  `<!doctype html><title>Provider</title><form method="post" action="${action}"><button>Sign in at the provider</button></form>`;

/** Starts the provider with one client. A visitor is signed in as `next`; in a browser, after a click. */
export async function startProvider(
  redirectUris: readonly string[],
  options: Configuration = {},
): Promise<ProviderFixture> {
  const people = new Map<string, ProviderPerson>();
  const requests: string[] = [];
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  const server = await listenOnLoopback((request, response) => handle(request, response));
  const issuer = `http://localhost:${server.port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [...redirectUris],
        grant_types: ["authorization_code"],
        response_types: ["code"],
      },
    ],
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    cookies: { keys: ["a key of this test"] },
    jwks: jwks(),
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, accountId) => ({
      accountId,
      claims: () => ({ sub: accountId, ...people.get(accountId) }),
    }),
    // No page asks for consent.
    async loadExistingGrant({ oidc }) {
      const grant = new oidc.provider.Grant({ clientId: oidc.client?.clientId, accountId: oidc.session?.accountId });
      grant.addOIDCScope("openid email");
      await grant.save();
      return grant;
    },
    ...options,
  });
  const callback = provider.callback();
  const fixture: ProviderFixture = {
    issuer,
    people,
    next: "",
    requests,
    close: () => server.close(),
  };
  const interact = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === "GET" && (request.headers["user-agent"] ?? "").includes("Mozilla/"))
      return void response.setHeader("content-type", "text/html").end(LOGIN_PAGE(request.url ?? ""));
    await provider.interactionFinished(request, response, { login: { accountId: fixture.next, remember: false } });
  };
  handle = (request, response) => {
    requests.push(`${request.method} ${request.url?.split("?")[0]}`);
    if (request.url?.startsWith("/interaction/"))
      void interact(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
    else void callback(request, response);
  };
  return fixture;
}
