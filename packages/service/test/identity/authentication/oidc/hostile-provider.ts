import { sign, type KeyObject } from "node:crypto";
import { CLIENT, listenOnLoopback } from "./provider-fixture.ts";
import { rsaKeys } from "./rsa-keys.ts";

/** A response of the hostile provider. */
interface HostileResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What the provider does wrong. Absent members: as a right provider does. */
export interface Hostility {
  /** Members of the metadata. */
  metadata?: Readonly<Record<string, unknown>>;
  /** Members of the ID token, of right tokens. */
  claims?: Readonly<Record<string, unknown>>;
  /** Parameters of the authorization response; undefined: left out. */
  callback?: Readonly<Record<string, string | undefined>>;
  header?: Readonly<Record<string, unknown>>;
  /** Changes the signed ID token. */
  tamper?: (token: string) => string;
  /** Responses in place of the right responses, by path; null: no response ever comes. */
  responses?: Readonly<Record<string, HostileResponse | null>>;
}

/** A provider that accepts everybody and each code, and lies as told. */
export interface HostileProvider {
  readonly issuer: string;
  /** May be replaced by tests. */
  hostility: Hostility;
  readonly requests: string[];
  /** A key that is not among the provider's. */
  readonly otherKey: KeyObject;
  close(): Promise<void>;
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
/** -> a JWT of RS256 */
export const signedToken = (header: object, claims: object, key: KeyObject): string => {
  const text = `${encoded(header)}.${encoded(claims)}`;
  return `${text}.${sign("RSA-SHA256", Buffer.from(text), key).toString("base64url")}`;
};

export async function startHostileProvider(): Promise<HostileProvider> {
  const [own, other] = rsaKeys();
  let nonce = "";
  const idToken = () => {
    const { claims, header, tamper = (token) => token } = fixture.hostility;
    const now = Math.floor(Date.now() / 1_000);
    const right = {
      iss: fixture.issuer,
      aud: CLIENT.id,
      sub: "noah-id",
      iat: now,
      exp: now + 60,
      nonce,
      email: "noah@acme.example",
      email_verified: true,
    };
    const text = signedToken({ alg: "RS256", kid: "1", ...header }, { ...right, ...claims }, own.privateKey);
    return tamper(text);
  };
  const rightResponse = (path: string, query: URLSearchParams): HostileResponse => {
    const { issuer, hostility } = fixture;
    if (path === "/.well-known/openid-configuration")
      return {
        body: {
          issuer,
          authorization_endpoint: `${issuer}/auth`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256"],
          authorization_response_iss_parameter_supported: true,
          ...hostility.metadata,
        },
      };
    if (path === "/auth") {
      nonce = query.get("nonce") ?? "";
      const back = new URL(query.get("redirect_uri") ?? "");
      const parameters = { code: "a code", state: query.get("state") ?? "", iss: issuer, ...hostility.callback };
      for (const [name, value] of Object.entries(parameters))
        if (value !== undefined) back.searchParams.append(name, value);
      return { status: 302, headers: { location: back.href } };
    }
    if (path === "/token")
      return { body: { access_token: "an access token", token_type: "Bearer", id_token: idToken() } };
    if (path === "/jwks")
      return { body: { keys: [{ ...own.publicKey.export({ format: "jwk" }), kid: "1", alg: "RS256", use: "sig" }] } };
    return { status: 404, body: {} };
  };
  const requests: string[] = [];
  const server = await listenOnLoopback((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    requests.push(`${request.method} ${pathname}`);
    const told = fixture.hostility.responses?.[pathname];
    if (told === null) return;
    const { status = 200, headers = {}, body } = told ?? rightResponse(pathname, searchParams);
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  const fixture: HostileProvider = {
    issuer: `http://localhost:${server.port}`,
    hostility: {},
    requests,
    otherKey: other.privateKey,
    close: () => server.close(),
  };
  return fixture;
}
