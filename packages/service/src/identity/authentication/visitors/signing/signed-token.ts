import { createHash, createPublicKey, createSecretKey, type KeyObject } from "node:crypto";
import { LIMITS, MESSENGER_LIMITS, NO_SIGNING_KEY, refuse } from "@parley/contract";
import type { Db, Pool, Vault } from "@parley/database";
import { decodeProtectedHeader, jwtVerify, type JWTPayload } from "jose";
import Type, { type Static } from "typebox";
import { Check } from "typebox/value";
import type { Ports } from "../../../../base/environment/ports.ts";
import { signingSecretOwner } from "./key-material.ts";
import { signingKeyStore, type SigningKeyRow } from "./store.ts";

/** Text of a claim. The database rejects NUL. */
const Claim = Type.String({ maxLength: LIMITS.short_text_characters, pattern: "^[^\\u0000]*$" });
const Claims = Type.Object({
  freshchat_uuid: Type.Optional(Claim),
  reference_id: Type.Optional(Claim),
  first_name: Type.Optional(Claim),
  last_name: Type.Optional(Claim),
  email: Type.Optional(Claim),
  phone_number: Type.Optional(Claim),
  iat: Type.Number(),
  exp: Type.Number(),
});
/** What a token says about a visitor. Empty texts and nulls are left out. */
type SignedClaims = Static<typeof Claims>;

/** A token that was accepted. */
export interface SignedToken {
  readonly keyId: string;
  readonly claims: Omit<SignedClaims, "iat" | "exp">;
  /** Until when it holds. */
  readonly until: Date;
}

/** The browser that sends a token. */
interface SendingBrowser {
  readonly browserKey: string;
  /** The user of its session. */
  readonly userId?: string | undefined;
}

/** @spec RFC 7519 section 7.2 */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;
/** Header parameters that bring a key, or that change what is signed. */
const REFUSED_PARAMETERS = ["jwk", "jku", "x5c", "x5u", "crit", "b64", "zip", "enc"] as const;

/** Separates this hash from others of the same secret. */
const UUID_PURPOSE = "parley messenger browser uuid";
const UUID_BYTES = 16;

/**
 * The UUID of a browser, which its site signs: a hash of the browser's secret, so that a token with it is of use in that browser only.
 * @spec RFC 9562 section 5.8
 */
export const browserUuidOf = (browserKey: string): string => {
  const bytes = createHash("sha256").update(`${UUID_PURPOSE}\n${browserKey}`).digest().subarray(0, UUID_BYTES);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
};

const isCanonical = (part: string): boolean => Buffer.from(part, "base64url").toString("base64url") === part;

/** -> the kid of a token's header; null without one; undefined for a token that no key is tried for */
const keyIdIn = (token: string): string | null | undefined => {
  // A decoder ignores surplus bits of the last character: several texts would be the same signature.
  if (!COMPACT.test(token) || !token.split(".").every(isCanonical)) return undefined;
  try {
    const header = decodeProtectedHeader(token);
    if (REFUSED_PARAMETERS.some((name) => name in header)) return undefined;
    if (header.kid === undefined) return null;
    return typeof header.kid === "string" ? header.kid : undefined;
  } catch {
    return undefined;
  }
};

/** -> undefined for claims of a wrong type */
const claimsOf = (payload: JWTPayload): SignedClaims | undefined => {
  // Sites send what they don't know as null or as an empty text.
  const given = Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== null && value !== ""));
  return Check(Claims, given) ? given : undefined;
};

interface SignedTokensDeps {
  readonly pool: Pool;
  readonly ports: Pick<Ports, "now">;
  readonly vault: () => Promise<Vault>;
}

/** Verifies the tokens by which the sites of an account sign who a visitor is. */
export const createSignedTokens = ({ pool, ports, vault }: SignedTokensDeps) => {
  const { signed_token_seconds, unbound_token_seconds, signed_token_skew_seconds: skew } = MESSENGER_LIMITS;

  const keyOf = async ({ id, secret, public_key }: SigningKeyRow): Promise<KeyObject> =>
    secret === null
      ? createPublicKey(public_key ?? "")
      : createSecretKey((await vault()).open(signingSecretOwner(id), secret), "utf8");

  /** -> the payload, if the key has signed the token and its times are right; the algorithm is that of the key */
  const verifiedPayload = async (token: string, row: SigningKeyRow, now: Date): Promise<JWTPayload | undefined> => {
    const key = await keyOf(row);
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [row.algorithm],
        clockTolerance: skew,
        currentDate: now,
        requiredClaims: ["exp", "iat"],
      });
      return payload;
    } catch {
      return undefined;
    }
  };

  /** Whether the times of a token are within the limits, and the token is meant for the browser that sends it. */
  const isAdmissible = (claims: SignedClaims, { browserKey, userId }: SendingBrowser, now: Date): boolean => {
    const { iat, exp, freshchat_uuid: uuid, reference_id } = claims;
    const seconds = now.getTime() / 1_000;
    if (iat > seconds + skew || exp <= iat || exp - iat > signed_token_seconds) return false;
    if (uuid === undefined) return reference_id !== undefined && seconds <= iat + unbound_token_seconds + skew;
    const signed = uuid.toLowerCase();
    return signed === browserUuidOf(browserKey) || signed === userId;
  };

  /** @units seconds. A token that holds only within the tolerated difference of the clocks holds until that is over. */
  const endOf = ({ exp }: SignedClaims, now: Date): Date =>
    new Date((exp * 1_000 > now.getTime() ? exp : exp + skew) * 1_000);

  return {
    /**
     * -> undefined, equally for each reason to refuse the token
     * @errors NO_SIGNING_KEY
     */
    async verify(accountId: number, token: string, browser: SendingBrowser): Promise<SignedToken | undefined> {
      const keys = await signingKeyStore(pool).list(accountId);
      if (keys.length === 0) refuse(NO_SIGNING_KEY);
      const kid = keyIdIn(token);
      if (kid === undefined) return undefined;
      const now = ports.now();
      for (const row of keys.filter(({ id }) => kid === null || id === kid)) {
        const payload = await verifiedPayload(token, row, now);
        const claims = payload && claimsOf(payload);
        if (!claims || !isAdmissible(claims, browser, now)) continue;
        const { iat: _iat, exp: _exp, ...said } = claims;
        return { keyId: row.id, claims: said, until: endOf(claims, now) };
      }
      return undefined;
    },
    /** Notes a use of the token's key in the transaction that relies on it. -> false if the key was removed meanwhile */
    use: (tx: Db, accountId: number, { keyId }: SignedToken) => signingKeyStore(tx).use(accountId, keyId, ports.now()),
  };
};
export type SignedTokens = ReturnType<typeof createSignedTokens>;
