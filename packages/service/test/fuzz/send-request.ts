import { Agent, request } from "node:http";
import type { GeneratedRequest } from "./generated-requests.ts";
import { isPick } from "./generated-values.ts";

/** A request as it is sent. */
export interface FuzzRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** The complete response. */
export interface FuzzResponse {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Ids by the kind of object; for statuses of agents, pairs of id and name. */
export type KnownIds = Map<string, unknown[]>;

const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""));

/** Lone surrogates can't be encoded in a URL. */
const encoded = (value: unknown): string => encodeURIComponent(Buffer.from(textOf(value)).toString());

/** A path segment. `.`, `..` and an empty text would change the path. */
const segment = (value: unknown): string => {
  const text = encoded(value).slice(0, 3_000).replace(/%\w?$/, "");
  return /^\.{0,2}$/.test(text) ? "x" : text;
};

/** Longer URLs are refused before an operation is selected. */
const URL_LENGTH_MAX = 12_000;

/** Selects the ids, so that a request can be sent and printed. */
export function requestOf(
  { operation, holes, query, body, contentType }: GeneratedRequest,
  known: KnownIds,
  token: string,
): FuzzRequest {
  const choose = (value: unknown): unknown => {
    if (isPick(value)) {
      const ids = known.get(value.$pick) ?? [];
      return ids[value.nth % Math.max(1, ids.length)] ?? "none";
    }
    if (Array.isArray(value)) return value.map(choose);
    if (typeof value !== "object" || value === null) return value;
    // By entries, so that a member named __proto__ remains a member.
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, choose(member)]));
  };
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => segment(choose(holes[name])));
  let search = query.map(([name, value]) => `${name}=${encoded(choose(value))}`);
  while (search.join("&").length > URL_LENGTH_MAX) search = search.slice(0, -1);
  const content =
    body === undefined
      ? undefined
      : "raw" in body
        ? Buffer.from(body.raw, "latin1")
        : Buffer.from(JSON.stringify(choose(body.json)) ?? "");
  return {
    method: operation.method,
    path: `/v2${path}${search.length > 0 ? `?${search.join("&")}` : ""}`,
    headers: {
      authorization: `Bearer ${token}`,
      ...(contentType !== undefined && { "content-type": contentType }),
    },
    body: content,
  };
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
export const disconnect = () => agent.destroy();

export const send = (url: string, { method, path, headers, body }: FuzzRequest): Promise<FuzzResponse> =>
  new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { "content-length": String(body.length) };
    const outgoing = request(url + path, { agent, method, headers: { ...headers, ...length } }, (incoming) => {
      const chunks: Buffer[] = [];
      // A stream does not end: its headers are the response.
      if (incoming.headers["content-type"] === "text/event-stream") {
        incoming.on("error", () => undefined).destroy();
        return resolve({ code: incoming.statusCode ?? 0, headers: incoming.headers, text: "" });
      }
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.once("error", reject);
      incoming.once("end", () =>
        resolve({
          code: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text: Buffer.concat(chunks).toString("utf8"),
        }),
      );
    });
    outgoing.setTimeout(20_000, () => outgoing.destroy(new Error("no answer within 20 s")));
    outgoing.once("error", reject);
    outgoing.end(body);
  });

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A curl command that repeats the request, without the token. */
export const curlOf = (url: string, { method, path, headers, body }: FuzzRequest): string =>
  [
    `curl -sS -i -X ${method} ${quoted(url + path)}`,
    `-H "Authorization: Bearer $TOKEN"`,
    ...(headers["content-type"] === undefined ? [] : [`-H ${quoted(`Content-Type: ${headers["content-type"]}`)}`]),
    ...(body === undefined
      ? []
      : [`--data-binary ${/[^\x20-\x7e]/.test(body.toString("latin1")) ? bytesOf(body) : quoted(body.toString())}`]),
  ].join(" ");

/** The shell's notation for bytes. */
const bytesOf = (body: Buffer): string =>
  `$'${[...body].map((byte) => (byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, "0")}`)).join("")}'`;
