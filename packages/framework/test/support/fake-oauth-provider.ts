import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Fake OAuth provider with the authorization code flow, as strict as real ones, and a protected API. */
export interface FakeOAuthProvider {
  readonly origin: string;
  /** Query parameters of all started authorizations. */
  readonly authorizations: URLSearchParams[];
  /** Forms that the token endpoint received, oldest first. */
  readonly forms: URLSearchParams[];
  /** Requests that the API received. */
  readonly calls: { readonly path: string; readonly authorization: string | undefined }[];
  /** Behaviour of the provider, changeable at any time. @units expiresIn: seconds */
  behavior: {
    expiresIn?: number | string;
    refreshes: boolean;
    asForm?: boolean;
    tokenStatus?: number;
    deny?: boolean;
    slowMs?: number;
  };
  /** Invalidates every access token issued so far. */
  revokeAccess(): void;
  revokeAll(): void;
  close(): Promise<void>;
}

export const CLIENT_ID = "client-1";
export const CLIENT_SECRET = "canary-client-secret";

interface Code {
  readonly challenge: string | null;
  readonly redirectUri: string;
}

const secret = (kind: string) => `canary-${kind}-${randomBytes(12).toString("hex")}`;

export async function startFakeOAuthProvider(): Promise<FakeOAuthProvider> {
  const codes = new Map<string, Code>();
  const access = new Set<string>();
  const refresh = new Set<string>();
  const json = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

  const authorize = (query: URLSearchParams, response: ServerResponse) => {
    provider.authorizations.push(query);
    const back = new URL(query.get("redirect_uri") ?? "");
    back.searchParams.set("state", query.get("state") ?? "");
    if (provider.behavior.deny) back.searchParams.set("error", "access_denied");
    else {
      const code = secret("code");
      codes.set(code, { challenge: query.get("code_challenge"), redirectUri: query.get("redirect_uri") ?? "" });
      back.searchParams.set("code", code);
    }
    response.writeHead(302, { location: back.href }).end();
  };

  const issue = (response: ServerResponse) => {
    const { expiresIn, refreshes, asForm } = provider.behavior;
    const issued: Record<string, string> = { access_token: secret("access"), token_type: "bearer" };
    access.add(issued["access_token"] ?? "");
    if (refreshes) refresh.add((issued["refresh_token"] = secret("refresh")));
    if (asForm) return response.writeHead(200).end(new URLSearchParams(issued).toString());
    return json(response, 200, { ...issued, ...(expiresIn === undefined ? {} : { expires_in: expiresIn }) });
  };

  const byCode = (form: URLSearchParams, response: ServerResponse) => {
    const code = codes.get(form.get("code") ?? "");
    codes.delete(form.get("code") ?? "");
    const proof = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isProven = code?.challenge === null ? !form.has("code_verifier") : proof === code?.challenge;
    if (!code || !isProven || code.redirectUri !== form.get("redirect_uri"))
      return json(response, 400, { error: "invalid_grant", error_description: `bad code ${CLIENT_SECRET}` });
    return issue(response);
  };

  const token = (form: URLSearchParams, response: ServerResponse) => {
    provider.forms.push(form);
    const { tokenStatus } = provider.behavior;
    if (tokenStatus !== undefined) return json(response, tokenStatus, {});
    if (form.get("client_id") !== CLIENT_ID || form.get("client_secret") !== CLIENT_SECRET)
      return json(response, 401, { error: "invalid_client" });
    if (form.get("grant_type") === "authorization_code") return byCode(form, response);
    // A refresh token works once; a second use revokes all tokens.
    if (!refresh.delete(form.get("refresh_token") ?? "")) {
      refresh.clear();
      access.clear();
      return json(response, 400, { error: "invalid_grant" });
    }
    return issue(response);
  };

  const api = ({ headers, url = "" }: IncomingMessage, response: ServerResponse) => {
    const { authorization } = headers;
    provider.calls.push({ path: url, authorization });
    const isIn = access.has(authorization?.replace("Bearer ", "") ?? "");
    return json(response, isIn ? 200 : 401, isIn ? { you: "are in" } : { error: "invalid_token" });
  };

  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const url = new URL(request.url ?? "/", "http://provider");
      if (url.pathname.endsWith("/authorize")) return authorize(url.searchParams, response);
      if (url.pathname.endsWith("/token"))
        return setTimeout(() => token(new URLSearchParams(body), response), provider.behavior.slowMs ?? 0);
      return api(request, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const provider: FakeOAuthProvider = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authorizations: [],
    forms: [],
    calls: [],
    behavior: { refreshes: true },
    revokeAccess: () => access.clear(),
    revokeAll: () => {
      access.clear();
      refresh.clear();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return provider;
}
