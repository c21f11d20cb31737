import { request } from "node:http";
import { connect } from "node:net";

export interface PlainReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** A request as it is written here: any Host header, a body on any method, an address that nobody tidied. */
export const plainRequest = (
  url: string,
  {
    method = "GET",
    path,
    headers = {},
    body,
  }: { method?: string; path: string; headers?: object; body?: string | Buffer },
): Promise<PlainReply> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    // Node frames the body of a GET only when it is told to.
    const framed = { ...headers, ...(body !== undefined && { "content-length": Buffer.byteLength(body) }) };
    const sent = request({ hostname, port, method, path, headers: framed, agent: false }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on("data", (chunk: Buffer) => chunks.push(chunk));
      reply.on("end", () =>
        resolve({
          status: reply.statusCode ?? 0,
          headers: reply.headers as Record<string, string>,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });

/** Bytes on a connection, and all that comes back until it ends. */
export const plainBytes = (url: string, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    socket.on("end", () => resolve(text));
    socket.on("error", reject);
  });
