import { createPublicKey, type KeyObject } from "node:crypto";
import { INVALID_VALUE, MESSENGER_LIMITS, refuse, type NewSigningKey } from "@parley/contract";
import type { Vault } from "@parley/database";
import type { Ports } from "../../../../base/environment/ports.ts";
import { newSecret } from "../../secrets/secrets.ts";
import type { SigningKeyRow } from "./store.ts";

/** Least public exponent of an RSA key, as FIPS 186-5 requires it. */
const LEAST_EXPONENT = 65_537n;
/** A larger key would make each check of a token slow. @units bits */
const MODULUS_BITS_MAX = 8_192;

/** What a PEM text holds instead of a public key, and what to do then. */
const OTHER_PEM: readonly (readonly [label: RegExp, advice: string])[] = [
  [
    /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
    "public_key: this is a private key, which only the site may have. It was not stored. Make a new pair of keys, and enter the public key of the pair.",
  ],
  [
    /-----BEGIN [A-Z ]*CERTIFICATE-----/,
    "public_key: this is a certificate. Enter its public key: openssl x509 -in certificate.pem -noout -pubkey",
  ],
  [
    /-----BEGIN RSA PUBLIC KEY-----/,
    "public_key: this is a key in the form PKCS #1. Enter it as SPKI: openssl rsa -RSAPublicKey_in -in key.pem -pubout",
  ],
];
const SPKI = /^-----BEGIN PUBLIC KEY-----\r?\n[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----$/;

/** Owner of a sealed secret. */
export const signingSecretOwner = (keyId: string): string => `messenger signing key ${keyId}`;

/** -> the key of a PEM text @errors INVALID_VALUE */
const rsaKeyOf = (pem: string): KeyObject => {
  for (const [label, advice] of OTHER_PEM) if (label.test(pem)) refuse(INVALID_VALUE, advice);
  const notRsa = "public_key: enter one RSA public key in PEM, which begins with -----BEGIN PUBLIC KEY-----.";
  if (!SPKI.test(pem)) refuse(INVALID_VALUE, notRsa);
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch {
    return refuse(INVALID_VALUE, notRsa);
  }
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType !== "rsa") refuse(INVALID_VALUE, notRsa);
  if (modulusLength < MESSENGER_LIMITS.signing_modulus_bits || modulusLength > MODULUS_BITS_MAX)
    refuse(
      INVALID_VALUE,
      `public_key: the key has ${modulusLength} bits. It must have at least ${MESSENGER_LIMITS.signing_modulus_bits} and at most ${MODULUS_BITS_MAX}.`,
    );
  if (publicExponent < LEAST_EXPONENT)
    refuse(INVALID_VALUE, `public_key: the exponent of the key must be at least ${LEAST_EXPONENT}.`);
  return key;
};

/** A secret that a site has already. @errors INVALID_VALUE */
const checkedSecret = (secret: string): string => {
  if (secret.trim() !== secret || /\p{Cc}/u.test(secret))
    refuse(INVALID_VALUE, "secret: it must not begin or end with spaces, and have one line. Check what was pasted.");
  if (secret.includes("-----BEGIN"))
    refuse(INVALID_VALUE, "secret: this is a key in PEM. A public key belongs to the algorithm RS256.");
  if (new Set(secret).size < 8)
    refuse(INVALID_VALUE, "secret: it repeats a few characters. Use a random secret, or let one be generated.");
  return secret;
};

/**
 * What is stored of a new key.
 * -> with the generated secret, if one was generated
 * @errors INVALID_VALUE
 */
export const newKeyMaterial = (
  { algorithm, secret, public_key }: NewSigningKey,
  keyId: string,
  { vault, random }: { readonly vault: Vault } & Pick<Ports, "random">,
): Pick<SigningKeyRow, "secret" | "public_key"> & { readonly generated?: string } => {
  if (algorithm === "RS256") {
    if (secret !== undefined) refuse(INVALID_VALUE, "secret: an RS256 key has none. Enter the public key of the site.");
    const pem = public_key ?? refuse(INVALID_VALUE, "public_key: an RS256 key needs the public key of the site.");
    return { secret: null, public_key: rsaKeyOf(pem.trim()).export({ type: "spki", format: "pem" }).toString() };
  }
  if (public_key !== undefined) refuse(INVALID_VALUE, "public_key: an HS256 key has none. Choose the algorithm RS256.");
  const own = secret === undefined ? undefined : checkedSecret(secret);
  const text = own ?? newSecret(random);
  return {
    secret: vault.seal(signingSecretOwner(keyId), text),
    public_key: null,
    ...(own === undefined && { generated: text }),
  };
};
