import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SignedIdentityRules } from "@parley/contract";

/** Signing of visitors' identities in the demo account, as an admin sets it up and a site does it. */
export interface SignedIdentities {
  /** Whether visitors need a signed identity. */
  readonly require: (rules: Partial<SignedIdentityRules>) => Promise<void>;
  /** -> a token of the site @shape seconds: for which it holds */
  readonly sign: (claims: Readonly<Record<string, unknown>>, seconds?: number) => string;
}

/** @spec RFC 7515 section 3.1 */
const signed = (secret: string, payload: object): string => {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const text = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(payload)}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
};

/** Adds a key to an account. @shape dataFolder: of the instance */
export const signedIdentities = async (
  service: string,
  dataFolder: string,
  account = "acme",
): Promise<SignedIdentities> => {
  const key = (await readFile(join(dataFolder, "admin-key"), "utf8")).trim();
  const send = async (method: string, path: string, body: object): Promise<unknown> => {
    const response = await fetch(new URL(`/admin/accounts/${account}/messenger/${path}`, service), {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  const created = await send("POST", "signing-keys", { name: "Shop", algorithm: "HS256" });
  const { secret } = created as { readonly secret: string };
  return {
    async require({ is_required = false, is_hidden_until_signed = false }) {
      await send("PUT", "signed-identities", { is_required, is_hidden_until_signed });
    },
    sign(claims, seconds = 600) {
      const iat = Math.floor(Date.now() / 1_000);
      return signed(secret, { ...claims, iat, exp: iat + seconds });
    },
  };
};
