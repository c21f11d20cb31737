import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { isIP } from "node:net";

/** A certificate and its private key, in PEM. */
export interface Certificate {
  readonly pem: string;
  readonly keyPem: string;
  /** Signs another certificate. */
  issue(name: string, hosts?: readonly string[]): Certificate;
}

// DER: a tag, a length, the contents.
const tagged = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
};
const sequence = (...parts: readonly Buffer[]) => tagged(0x30, ...parts);
const octets = (...parts: readonly Buffer[]) => tagged(0x04, ...parts);
const bits = (bytes: Buffer) => tagged(0x03, Buffer.from([0]), bytes);
const integer = (value: number) => tagged(0x02, Buffer.from([0, value >> 8, value & 255].slice(value > 127 ? 0 : 2)));
const isTrue = tagged(0x01, Buffer.from([255]));
const utcTime = (date: Date) => tagged(0x17, Buffer.from(`${date.toISOString().replaceAll(/\D/g, "").slice(2, 14)}Z`));
const oid = (hex: string) => tagged(0x06, Buffer.from(hex, "hex"));

const ECDSA_WITH_SHA256 = sequence(oid("2a8648ce3d040302"));
const nameOf = (commonName: string) =>
  sequence(tagged(0x31, sequence(oid("550403"), tagged(0x0c, Buffer.from(commonName)))));
const basicConstraints = (isAuthority: boolean) =>
  sequence(oid("551d13"), isTrue, octets(sequence(...(isAuthority ? [isTrue] : []))));
const alternativeNames = (hosts: readonly string[]) =>
  sequence(
    oid("551d11"),
    octets(
      sequence(
        ...hosts.map((host) =>
          isIP(host) === 4 ? tagged(0x87, Buffer.from(host.split(".").map(Number))) : tagged(0x82, Buffer.from(host)),
        ),
      ),
    ),
  );

const pemOf = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString("base64").replaceAll(/.{64}(?=.)/g, "$&\n")}\n-----END CERTIFICATE-----\n`;

const DAY_MS = 86_400_000;
let serial = 1;

const make = (
  name: string,
  hosts: readonly string[],
  issuer: { readonly name: string; readonly key: KeyObject } | undefined,
): Certificate => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const now = Date.now();
  const body = sequence(
    tagged(0xa0, integer(2)),
    integer(serial++),
    ECDSA_WITH_SHA256,
    nameOf(issuer?.name ?? name),
    sequence(utcTime(new Date(now - DAY_MS)), utcTime(new Date(now + DAY_MS))),
    nameOf(name),
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(basicConstraints(!issuer), ...(hosts.length > 0 ? [alternativeNames(hosts)] : []))),
  );
  const signature = sign("sha256", body, issuer?.key ?? privateKey);
  return {
    pem: pemOf(sequence(body, ECDSA_WITH_SHA256, bits(signature))),
    keyPem: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    issue: (other, names = []) => make(other, names, { name, key: privateKey }),
  };
};

/** Creates a new, self-signed authority. */
export const certificateAuthority = (name: string): Certificate => make(name, [], undefined);
