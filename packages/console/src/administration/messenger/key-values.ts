import type { NewSigningKey } from "@parley/contract";
import { ADMIN_VALUES } from "../contract-values.ts";
import { signingMessages as texts } from "./signing-messages.ts";

/** Where the secret or the key of a site comes from. */
export const KEY_KINDS = ["generated", "own", "public"] as const;
type KeyKind = (typeof KEY_KINDS)[number];

export interface KeyValues {
  readonly name: string;
  readonly kind: KeyKind;
  readonly secret: string;
  readonly publicKey: string;
}

export const NEW_KEY_VALUES: KeyValues = { name: "", kind: "generated", secret: "", publicKey: "" };

const LEAST_SECRET = ADMIN_VALUES.messengerLimits.signing_secret_characters;

const publicKeyProblem = (pem: string): string | undefined => {
  if (pem.includes("PRIVATE KEY")) return texts.isPrivateKey;
  if (pem.includes("CERTIFICATE")) return texts.isCertificate;
  return pem.includes("-----BEGIN PUBLIC KEY-----") ? undefined : texts.isNoPublicKey;
};

/** The service has further rules for a key, such as its size. */
export const keyProblemsOf = ({
  name,
  kind,
  secret,
  publicKey,
}: KeyValues): Partial<Record<keyof KeyValues, string>> => {
  const keyProblem = kind === "public" ? publicKeyProblem(publicKey) : undefined;
  return {
    ...(name.trim() === "" && { name: texts.nameMissing }),
    ...(kind === "own" && secret.length < LEAST_SECRET && { secret: texts.secretTooShort(LEAST_SECRET) }),
    ...(keyProblem !== undefined && { publicKey: keyProblem }),
  };
};

export const newKeyOf = ({ name, kind, secret, publicKey }: KeyValues): NewSigningKey => ({
  name: name.trim(),
  algorithm: kind === "public" ? "RS256" : "HS256",
  ...(kind === "own" && { secret }),
  ...(kind === "public" && { public_key: publicKey.trim() }),
});
