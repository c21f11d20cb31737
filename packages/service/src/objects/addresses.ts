import { urlOf } from "@parley/contract";
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

/** What a signed address leads to, however long. */
export type Target = Omit<Lead, "seconds">;

export interface Addresses extends SignedAddresses {
  /** -> undefined for an address that was altered or has expired: it doesn't say which. @units seconds: until it expires */
  open(signed: Signed): Lead | undefined;
  /** -> what one of our own addresses leads to, of whatever host and also when it has expired; undefined for any other text. */
  targetOf(address: string): Target | undefined;
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
  const authentic = (signed: Signed): Target | undefined => {
    const expected = Buffer.from(signatureOf(signed));
    const given = Buffer.from(signed.signature);
    if (expected.length !== given.length || !timingSafeEqual(expected, given)) return undefined;
    const { key, type: contentType, name: fileName } = signed;
    return { key, contentType, ...(fileName && { fileName }) };
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
      const seconds = Number(signed.expires) - secondsOf(now());
      const target = seconds > 0 ? authentic(signed) : undefined;
      return target && { ...target, seconds };
    },
    targetOf(address) {
      const url = urlOf(address);
      if (!url?.pathname.startsWith(OBJECTS_PATH)) return undefined;
      const said = (name: string) => url.searchParams.get(name) ?? "";
      return authentic({
        key: url.pathname.slice(OBJECTS_PATH.length),
        expires: said("expires"),
        type: said("type"),
        name: said("name"),
        signature: said("signature"),
      });
    },
  };
}
