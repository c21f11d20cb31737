import { request } from "node:http";
import { connect } from "node:net";

export interface PlainReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Sends a request as given: any Host header, a body with any method, an unnormalized path. */
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
    // Node sends the body of a GET only with an explicit length.
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

/** Sends bytes on a connection and returns everything received until it ends. */
export const plainBytes = (url: string, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    let text = "";
    socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
    socket.on("end", () => resolve(text));
    socket.on("error", reject);
  });
