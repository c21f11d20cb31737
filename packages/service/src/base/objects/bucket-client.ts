import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { pipeline, type Readable } from "node:stream";
import { setTimeout as elapse } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import { realPorts } from "../environment/ports.ts";
import { failRefused, failUnavailable } from "./bucket-failures.ts";
import { BUCKET_WAITS, type BucketPlace, type BucketWaits } from "./bucket-settings.ts";

/** Body of a request. Its size and digest are known before it is sent, and the storage verifies the digest. */
export interface BucketBody {
  readonly bytes: number;
  /** Hex. */
  readonly sha256: string;
  /** Called for each attempt. */
  readonly open: () => Readable;
}

interface BucketRequest {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Name of the object in the bucket; empty for the bucket itself. */
  readonly name: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BucketBody;
}

interface BucketReply {
  /** 2xx, or 404 for an object that does not exist. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** Requests to one bucket, signed and repeated after failures that may pass. */
export interface BucketClient {
  /** Reads the reply completely. @errors BucketRefusal, BucketUnavailable */
  send(request: BucketRequest): Promise<BucketReply & { readonly text: string }>;
  /** The content must be read or destroyed. Its errors are those of the connection. @errors BucketRefusal, BucketUnavailable */
  open(request: BucketRequest): Promise<BucketReply & { readonly content: IncomingMessage }>;
}

/** @shape isAbsent: the object does not exist, and the reply is read */
interface Attempted {
  readonly reply: IncomingMessage;
  readonly isAbsent: boolean;
}

/** A failure that may pass: another attempt follows. */
class TemporaryFailure extends Error {}

const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/** Idle connections that are kept. Those in use are bounded by the requests that the service admits. */
const IDLE_CONNECTIONS_MAX = 32;
const ATTEMPTS_MAX = 6;
/** Listings have at most a thousand names. @units bytes */
const REPLY_TEXT_MAX = 4 * 1_048_576;
/** Statuses after which another attempt may succeed. */
const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);
/** The same for codes with other statuses. The content of a request may have been damaged on the way. */
const TEMPORARY_CODES: ReadonlySet<string> = new Set([
  "BadDigest",
  "OperationAborted",
  "RequestTimeout",
  "SlowDown",
  "XAmzContentSHA256Mismatch",
]);

const textOf = async (reply: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of reply as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > REPLY_TEXT_MAX) throw new Error("the reply is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};

const elementOf = (name: string, text: string): string =>
  new RegExp(`<${name}>([^<]{0,500})</${name}>`).exec(text)?.[1] ?? "";

/** Error code and message in the XML of a storage. */
export const errorIn = (text: string) => ({ code: elementOf("Code", text), detail: elementOf("Message", text) });

const reasonOf = (error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
};

/** Repeats an attempt after temporary failures. @errors BucketUnavailable after the last attempt; other errors at once */
const withRetries = async <T>(
  place: BucketPlace,
  waits: BucketWaits,
  operation: string,
  attempt: () => Promise<T>,
): Promise<T> => {
  const beginMs = performance.now();
  for (let number = 1; ; number += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof TemporaryFailure)) throw error;
      if (number === ATTEMPTS_MAX || performance.now() - beginMs > waits.retryForMs)
        failUnavailable(place, operation, error.message);
    }
    // Random, so that requests that failed together are not repeated together.
    await elapse(waits.firstPauseMs * 2 ** (number - 1) * (0.5 + (realPorts.random(1)[0] ?? 0) / 510));
  }
};

/** Opens a client. Connections are kept for later requests and do not keep the process alive. */
export function bucketClient(place: BucketPlace): BucketClient {
  const waits: BucketWaits = { ...BUCKET_WAITS, ...place.waits };
  const endpoint = new URL(place.endpoint);
  const isTls = endpoint.protocol === "https:";
  const agentOptions = { keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS_MAX, timeout: waits.idleMs };
  // Set explicitly, so that no environment variable can disable the verification of certificates.
  const agent = isTls ? new HttpsAgent({ ...agentOptions, rejectUnauthorized: true }) : new HttpAgent(agentOptions);
  const signingKeys = new Map<string, ArrayBuffer>();

  const urlOf = ({ name, query = {} }: BucketRequest): URL => {
    const url = new URL(endpoint);
    const base = url.pathname.replace(/\/$/, "");
    if (place.isPathStyle) url.pathname = `${base}/${place.bucket}${name && `/${name}`}`;
    else {
      url.hostname = `${place.bucket}.${url.hostname}`;
      url.pathname = `${base}/${name}`;
    }
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    return url;
  };

  const exchange = async (request: BucketRequest): Promise<IncomingMessage> => {
    const { method, headers = {}, body } = request;
    const signed = await new AwsV4Signer({
      method,
      url: urlOf(request).href,
      headers: { ...headers, "x-amz-content-sha256": body?.sha256 ?? EMPTY_SHA256 },
      accessKeyId: place.keyId,
      secretAccessKey: place.secret,
      service: "s3",
      region: place.region,
      cache: signingKeys,
    }).sign();
    const sent: Record<string, string | number> = Object.fromEntries(signed.headers);
    if (body || method === "PUT" || method === "POST") sent["content-length"] = body?.bytes ?? 0;
    return new Promise((resolve, reject) => {
      const out = (isTls ? httpsRequest : httpRequest)(signed.url, { method, headers: sent, agent });
      out.setTimeout(waits.idleMs, () => out.destroy(new Error(`no data for ${waits.idleMs / 1000} s`)));
      // Stays after the reply: an error without a listener would end the process.
      out.on("error", reject);
      out.once("response", resolve);
      if (body) pipeline(body.open(), out, (error) => error && reject(error));
      else out.end();
    });
  };

  /** One attempt. The reply has a status of success, or is about an object that does not exist. */
  const attempt = async (request: BucketRequest): Promise<Attempted> => {
    const failTemporarily = (error: unknown): never => {
      throw new TemporaryFailure(reasonOf(error));
    };
    const reply = await exchange(request).catch(failTemporarily);
    const status = reply.statusCode ?? 0;
    if (status >= 200 && status < 300) return { reply, isAbsent: false };
    const error = errorIn(await textOf(reply).catch(failTemporarily));
    // A storage that refuses early does not read the rest of the body.
    if (request.body) reply.destroy();
    if (status === 404 && request.name !== "" && ["", "NoSuchKey"].includes(error.code))
      return { reply, isAbsent: true };
    if (TEMPORARY_STATUSES.has(status) || TEMPORARY_CODES.has(error.code))
      throw new TemporaryFailure([status, error.code, error.detail].filter(Boolean).join(" "));
    return failRefused(place, request.method, { status, ...error });
  };

  const headOf = ({ statusCode = 0, headers }: IncomingMessage): BucketReply => ({ status: statusCode, headers });

  return {
    send: (request) =>
      withRetries(place, waits, request.method, async () => {
        const { reply, isAbsent } = await attempt(request);
        if (isAbsent) return { ...headOf(reply), text: "" };
        const text = await textOf(reply).catch((error: unknown) => {
          throw new TemporaryFailure(reasonOf(error));
        });
        return { ...headOf(reply), text };
      }),
    open: (request) =>
      withRetries(place, waits, request.method, async () => {
        const { reply: content } = await attempt(request);
        return { ...headOf(content), content };
      }),
  };
}
