import { createHmac, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";
import type { NewSigningKey, SigningKey, VisitorSession } from "@parley/contract";
import { messengerHarness, type MessengerHarness, type MessengerResponse } from "../../messenger-harness.ts";
import { serviceHarness, type ServiceHarness, type ServiceHarnessOptions } from "../../../service-harness.ts";

const part = (value: unknown): string =>
  Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** A token of any header and payload. A text is taken as it is. */
export const rawToken = (header: object, payload: unknown, signatureOf: (input: string) => Buffer): string => {
  const input = `${part(header)}.${part(payload)}`;
  return `${input}.${signatureOf(input).toString("base64url")}`;
};

const isKeyObject = (key: string | Buffer | KeyObject): key is KeyObject =>
  typeof key === "object" && "asymmetricKeyType" in key;

export const hmacOf =
  (key: string | Buffer, hash = "sha256") =>
  (input: string): Buffer =>
    createHmac(hash, key).update(input).digest();

export const rsaOf =
  (key: KeyObject, hash = "sha256") =>
  (input: string): Buffer =>
    sign(hash, Buffer.from(input), key);

/** A token as a site makes it, by the definition of the format: the tests use no library that the service uses. */
export const tokenOf = (claims: object, key: string | Buffer | KeyObject, header: object = {}): string =>
  rawToken(
    { alg: isKeyObject(key) ? "RS256" : "HS256", typ: "JWT", ...header },
    claims,
    isKeyObject(key) ? rsaOf(key) : hmacOf(key),
  );

/** The secret of a browser. */
export const newBrowserKey = (): string => randomBytes(32).toString("base64url");

const SECOND_MS = 1_000;
/** @units seconds */
export const TOKEN_SECONDS = 3_600;

interface Signing {
  readonly browser_key?: string;
  readonly session_token?: string | undefined;
  readonly account?: string;
}

export interface SignedHarness extends MessengerHarness {
  /** The secret of the HS256 key that acme has from the beginning. */
  readonly secret: string;
  readonly key: SigningKey;
  /** Now, as tokens express it. @units seconds */
  seconds(): number;
  advance(seconds: number): void;
  uuidOf(browserKey: string): Promise<string>;
  /** The claims of a token for a browser. */
  claimsFor(browserKey: string, claims?: object): Promise<Record<string, unknown>>;
  addKey(
    body: NewSigningKey,
    account?: string,
  ): Promise<{ readonly signing_key: SigningKey; readonly secret?: string }>;
  removeKey(id: string): Promise<number>;
  putRules(rules: { readonly is_required: boolean; readonly is_hidden_until_signed?: boolean }): Promise<number>;
  /** A second process on the same database, with the same clock. */
  another(): Promise<ServiceHarness>;
  /** Sends a token. */
  begin(signed_token: string, signing: Signing): Promise<MessengerResponse<VisitorSession>>;
  /** Signs with the secret of acme for a new or the given browser, and begins the session. */
  signVisitor(claims: object, signing?: Signing): Promise<VisitorSession & { readonly browser_key: string }>;
}

/** An RSA key of a site. */
export const rsaPair = (modulusLength = 2_048) => generateKeyPairSync("rsa", { modulusLength });

export const pemOf = (key: KeyObject): string => key.export({ type: "spki", format: "pem" }).toString();

export async function signedHarness(options: ServiceHarnessOptions = {}): Promise<SignedHarness> {
  let ahead = 0;
  const ports = { now: () => new Date(Date.now() + ahead), ...options.ports };
  const s = await messengerHarness({ ...options, ports });
  const addKey = async (body: NewSigningKey, account = "acme") => {
    const reply = await s.adminRequest<{ signing_key: SigningKey; secret?: string }>(
      "POST",
      `/admin/accounts/${account}/messenger/signing-keys`,
      body,
    );
    if (reply.code !== 201) throw new Error(`No key was added: ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  const { signing_key: key, secret = "" } = await addKey({ name: "Shop", algorithm: "HS256" });
  const seconds = () => Math.floor((Date.now() + ahead) / SECOND_MS);
  const uuidOf = async (browser_key: string) =>
    (await s.request<{ uuid: string }>("POST", "/browser-uuid", { body: { browser_key } })).body.uuid;
  const claimsFor = async (browserKey: string, claims: object = {}) => ({
    freshchat_uuid: await uuidOf(browserKey),
    iat: seconds(),
    exp: seconds() + TOKEN_SECONDS,
    ...claims,
  });
  const begin = (signed_token: string, { browser_key = newBrowserKey(), ...signing }: Signing) =>
    s.request<VisitorSession>("POST", "/sessions/signed", {
      body: { account: "acme", signed_token, browser_key, ...signing },
    });
  return {
    ...s,
    ...{ secret, key, seconds, uuidOf, claimsFor, addKey, begin },
    another: () => serviceHarness({ ports, database: s.database, objectsFolder: s.objectsFolder }),
    advance: (more) => void (ahead += more * SECOND_MS),
    removeKey: async (id) => (await s.adminRequest("DELETE", `/admin/accounts/acme/messenger/signing-keys/${id}`)).code,
    putRules: async ({ is_required, is_hidden_until_signed = false }) => {
      const { code } = await s.adminRequest("PUT", "/admin/accounts/acme/messenger/signed-identities", {
        is_required,
        is_hidden_until_signed,
      });
      s.expireCaches();
      return code;
    },
    async signVisitor(claims, { browser_key = newBrowserKey(), ...signing } = {}) {
      const token = tokenOf(await claimsFor(browser_key, claims), secret);
      const { code, body } = await begin(token, { browser_key, ...signing });
      if (code !== 201) throw new Error(`The token was refused: ${code} ${JSON.stringify(body)}`);
      return { ...body, browser_key };
    },
  };
}
