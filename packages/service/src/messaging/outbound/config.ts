import { urlOf, type Environment, UsageFailure } from "@parley/contract";

/** The provider's URL and the shared signing secret. */
export interface OutboundConfig {
  readonly url: string;
  /** `whsec_` and base64. */
  readonly secret: string;
}

/** Key length required by Standard Webhooks. @units bytes */
const KEY_BYTES = { min: 24, max: 64 } as const;

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether a URL refers to this machine. */
export const isLoopback = (url: URL): boolean => LOOPBACK.test(url.hostname);

const isUsable = (text: string): boolean => {
  const url = urlOf(text);
  if (!url || url.username || url.password || url.hash) return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url));
};

const isSecret = (text: string): boolean => {
  const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1];
  const { length } = Buffer.from(base64 ?? "", "base64");
  return length >= KEY_BYTES.min && length <= KEY_BYTES.max;
};

/** -> undefined: the sandbox. @errors UsageFailure that names the variable and its valid values */
export const outboundConfig = (env: Environment = process.env): OutboundConfig | undefined => {
  const [url, secret] = [env["PARLEY_OUTBOUND_URL"] ?? "", env["PARLEY_OUTBOUND_SECRET"] ?? ""];
  if (url === "" && secret === "") return undefined;
  if (!isUsable(url))
    throw new UsageFailure(
      `PARLEY_OUTBOUND_URL must be an https address (http for this machine only), not '${url}'. Leave it and PARLEY_OUTBOUND_SECRET out to use the sandbox.`,
    );
  if (!isSecret(secret))
    throw new UsageFailure(
      `PARLEY_OUTBOUND_SECRET must be whsec_ and ${KEY_BYTES.min} to ${KEY_BYTES.max} bytes in base64, the same that the provider knows.`,
    );
  return { url, secret };
};
