import { urlOf } from "@parley/contract";
import { createHmac, timingSafeEqual } from "node:crypto";
import { isKey } from "./object-store.ts";

/** The object that a signed URL refers to. */
export interface ObjectHead {
  readonly key: string;
  readonly contentType: string;
  /** Name under which a browser saves it. */
  readonly fileName?: string;
  /** Validity of the URL. @units seconds */
  readonly seconds: number;
}

/** Creates URLs that need no token until they expire. */
export interface SignedAddresses {
  /** -> absolute URL; `origin` is that of the request, such as `http://127.0.0.1:10002`. */
  sign(head: ObjectHead, origin: string): string;
}

/** Path prefix of signed URLs. */
export const OBJECTS_PATH = "/objects/";

/** Parameters of a signed URL as received. @units expires: epoch seconds */
interface Signed {
  readonly key: string;
  readonly expires: string;
  readonly type: string;
  readonly name: string;
  readonly signature: string;
}

/** The object of a signed URL, without its validity. */
type Target = Omit<ObjectHead, "seconds">;

export interface AddressSigner extends SignedAddresses {
  /** -> undefined for an altered or expired URL, without distinction. @units seconds: remaining validity */
  open(signed: Signed): ObjectHead | undefined;
  /** -> the object of a URL signed by this service, for any host and even if expired; undefined for other texts. */
  targetOf(address: string): Target | undefined;
}

interface AddressDeps {
  readonly secret: Uint8Array;
  readonly now: () => Date;
}

const secondsOf = (time: Date): number => Math.floor(time.getTime() / 1000);

/** Signs and verifies object URLs. The signature covers every parameter. */
export function createAddressSigner({ secret, now }: AddressDeps): AddressSigner {
  const signatureOf = ({ key, expires, type, name }: Omit<Signed, "signature">): string =>
    createHmac("sha256", secret)
      .update(JSON.stringify([key, expires, type, name]))
      .digest("base64url");
  const authentic = (signed: Signed): Target | undefined => {
    const expected = Buffer.from(signatureOf(signed));
    const signature = Buffer.from(signed.signature);
    if (expected.length !== signature.length || !timingSafeEqual(expected, signature)) return undefined;
    const { key, type: contentType, name: fileName } = signed;
    return { key, contentType, ...(fileName && { fileName }) };
  };
  return {
    sign({ key, contentType, fileName = "", seconds }, origin) {
      if (!isKey(key)) throw new Error(`${JSON.stringify(key)} is not a key of an object`);
      const expires = String(secondsOf(now()) + seconds);
      const claims = { expires, type: contentType, ...(fileName && { name: Buffer.from(fileName).toString() }) };
      const signature = signatureOf({ key, name: "", ...claims });
      return `${origin}${OBJECTS_PATH}${key}?${new URLSearchParams({ ...claims, signature }).toString()}`;
    },
    open(signed) {
      const seconds = Number(signed.expires) - secondsOf(now());
      const target = seconds > 0 ? authentic(signed) : undefined;
      return target && { ...target, seconds };
    },
    targetOf(address) {
      const url = urlOf(address);
      if (!url?.pathname.startsWith(OBJECTS_PATH)) return undefined;
      const parameter = (name: string) => url.searchParams.get(name) ?? "";
      return authentic({
        key: url.pathname.slice(OBJECTS_PATH.length),
        expires: parameter("expires"),
        type: parameter("type"),
        name: parameter("name"),
        signature: parameter("signature"),
      });
    },
  };
}
