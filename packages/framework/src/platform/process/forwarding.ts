import { createHmac, timingSafeEqual } from "node:crypto";
import { request as sendRequest, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { Vault } from "@parley/database";
import type { RecordOwner } from "../../state/records.sql.ts";

/**
 * Requests that another process of the platform must answer, because it holds the installation. The header names the owner of the data and
 * proves that a process of this platform sent the request.
 */
const HEADER = "x-parley-forwarded";
/** Headers that describe the connection. */
const HOP_BY_HOP_HEADERS = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
  HEADER,
]);
/** Maximum time without an answer: longer than the longest call of a handler. @units milliseconds */
const FORWARD_TIMEOUT_MS = 150_000;

const withoutHopByHop = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP_HEADERS.has(name)));

/** Passes requests on between processes of the platform. */
export interface RequestForwarding {
  /** -> the owner whose request another process passed on; undefined for other requests */
  ownerOf(request: IncomingMessage): RecordOwner | undefined;
  /** Headers that prove to another process that this one asks for the owner's data. */
  headersFor(owner: RecordOwner): Readonly<Record<string, string>>;
  /** Sends the request to another process and its answer to the client; 503 if the process does not answer. */
  forward(request: IncomingMessage, response: ServerResponse, to: { address: string; owner: RecordOwner }): void;
}

/** Purpose of the derived key. */
const PURPOSE = "platform/forwarding";

export const createRequestForwarding = (vault: Pick<Vault, "derive" | "deriveAll">): RequestForwarding => {
  const proofOf = (key: Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();
  /** During a rotation of the key, processes may derive from different keys. */
  const isProof = (text: string, given: Buffer): boolean =>
    vault.deriveAll(PURPOSE).some((key) => {
      const expected = proofOf(key, text);
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
  const headersFor = ({ project, account }: RecordOwner): Record<string, string> => {
    const text = Buffer.from(JSON.stringify([project, account])).toString("base64url");
    return { [HEADER]: `${text}.${proofOf(vault.derive(PURPOSE), text).toString("base64url")}` };
  };

  return {
    headersFor,
    ownerOf({ headers }) {
      const header = headers[HEADER];
      if (typeof header !== "string") return undefined;
      const [text = "", proof = ""] = header.split(".");
      if (!isProof(text, Buffer.from(proof, "base64url"))) return undefined;
      const [project = "", account = ""] = JSON.parse(Buffer.from(text, "base64url").toString()) as string[];
      return { project, account };
    },
    forward(request, response, { address, owner }) {
      const { hostname, port } = new URL(address);
      const passed = sendRequest({
        hostname,
        port,
        method: request.method,
        path: request.url,
        headers: { ...withoutHopByHop(request.headers), ...headersFor(owner) },
        timeout: FORWARD_TIMEOUT_MS,
      });
      passed.once("response", (answer) => {
        response.writeHead(answer.statusCode ?? 502, withoutHopByHop(answer.headers));
        answer.pipe(response);
        answer.once("error", () => response.destroy());
      });
      passed.once("timeout", () => passed.destroy());
      passed.once("error", () => {
        if (response.headersSent) return void response.destroy();
        response.writeHead(503, { "content-type": "application/json", "retry-after": "1" });
        response.end(
          JSON.stringify({ message: "The process that runs this installation does not answer. Try again." }),
        );
      });
      response.once("close", () => passed.destroy());
      request.pipe(passed);
    },
  };
};
