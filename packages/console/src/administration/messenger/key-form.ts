import type { NewSigningKey } from "@parley/contract";
import type { SchemaForm } from "../../forms/schema-form.ts";
import { KEY_SCHEMA } from "./contract-values.ts";
import { signingMessages as texts } from "./signing-messages.ts";

/** Values of the form of a signing key. */
export interface KeyValues {
  readonly name: string;
  /** Where the secret or the key of a site comes from. */
  readonly kind: "generated" | "own" | "public";
  readonly secret: string;
  readonly public_key: string;
}

const publicKeyProblem = (pem: string): string | undefined => {
  if (pem.includes("PRIVATE KEY")) return texts.isPrivateKey;
  if (pem.includes("CERTIFICATE")) return texts.isCertificate;
  return pem.includes("-----BEGIN PUBLIC KEY-----") ? undefined : texts.isNoPublicKey;
};

/** The form of a signing key. The service has further rules for a key, such as its size. */
export const keyForm: SchemaForm<NewSigningKey, KeyValues> = {
  schema: KEY_SCHEMA,
  members: {
    name: { label: texts.name, help: texts.nameHelp, missing: texts.nameMissing },
    kind: {
      label: texts.kind,
      initial: "generated",
      choices: texts,
      to: (kind) => ({ algorithm: kind === "public" ? "RS256" : "HS256" }),
    },
    secret: {
      label: texts.ownSecret,
      help: texts.ownSecretHelp,
      isSecret: true,
      missing: texts.secretTooShort(KEY_SCHEMA.secret.minLength ?? 0),
      isShown: ({ kind }) => kind === "own",
      to: (secret, { kind }) => (kind === "own" ? { secret } : {}),
    },
    public_key: {
      label: texts.publicKey,
      help: texts.publicKeyHelp,
      lines: 8,
      placeholder: "-----BEGIN PUBLIC KEY-----",
      missing: texts.isNoPublicKey,
      isShown: ({ kind }) => kind === "public",
      to: (pem, { kind }) => (kind === "public" ? { public_key: pem.trim() } : {}),
      check: publicKeyProblem,
    },
  },
};
