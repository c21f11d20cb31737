import { generateKeyPairSync, type KeyObject } from "node:crypto";

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const KEPT = Symbol.for("parley.tests.rsa-keys");

/** Key pairs of providers. They are made once in a process, since the search for the primes takes up to half a second. */
export const rsaKeys = (): readonly [KeyPair, KeyPair] => {
  const kept = globalThis as { [KEPT]?: readonly [KeyPair, KeyPair] };
  const make = () => generateKeyPairSync("rsa", { modulusLength: 2_048 });
  return (kept[KEPT] ??= [make(), make()]);
};
