import { createHmac, timingSafeEqual } from "node:crypto";
import { isKey } from "./folder.ts";
import type { Lead, SignedAddresses } from "./objects.ts";

/** Where signed addresses begin, after the origin. */
export const OBJECTS_PATH = "/objects/";

/** The parameters of a signed address as they came. @units expires: epoch seconds */
export interface Signed {
  readonly key: string;
  readonly expires: string;
  readonly type: string;
  readonly name: string;
  readonly signature: string;
}

/** What a checked address leads to. @units seconds: until it expires */
export type Opened = Lead;

export interface Addresses extends SignedAddresses {
  /** -> undefined for an address that was altered or has expired: it doesn't say which. */
  open(signed: Signed): Opened | undefined;
}

export interface AddressDeps {
  readonly secret: Uint8Array;
  readonly now: () => Date;
}

const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1000);

/** Signs and checks the addresses of objects. All that an address says is signed, so that none of it can be exchanged. */
export function signedAddresses({ secret, now }: AddressDeps): Addresses {
  const signatureOf = ({ key, expires, type, name }: Omit<Signed, "signature">): string =>
    createHmac("sha256", secret)
      .update(JSON.stringify([key, expires, type, name]))
      .digest("base64url");
  const isSigned = (signed: Signed): boolean => {
    const expected = Buffer.from(signatureOf(signed));
    const given = Buffer.from(signed.signature);
    return expected.length === given.length && timingSafeEqual(expected, given);
  };
  return {
    sign({ key, contentType, fileName = "", seconds }, origin) {
      if (!isKey(key)) throw new Error(`${JSON.stringify(key)} is no key of an object`);
      const expires = String(secondsOf(now()) + seconds);
      const said = { expires, type: contentType, ...(fileName && { name: Buffer.from(fileName).toString() }) };
      const signature = signatureOf({ key, name: "", ...said });
      return `${origin}${OBJECTS_PATH}${key}?${new URLSearchParams({ ...said, signature }).toString()}`;
    },
    open(signed) {
      if (!isKey(signed.key) || !isSigned(signed)) return undefined;
      const seconds = Number(signed.expires) - secondsOf(now());
      const { key, type: contentType, name: fileName } = signed;
      return seconds > 0 ? { key, contentType, ...(fileName && { fileName }), seconds } : undefined;
    },
  };
}
