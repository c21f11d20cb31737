import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A system outside, such as a CRM: what Concierge tells it, and what it answers. */
export interface Outside {
  /** Where this process has it. */
  readonly origin: string;
  /** What came, the oldest first; `reset` empties it. */
  readonly told: readonly ToldOutside[];
  /** Answers so from now on, or so often and then 200 again. */
  answers(status: number, times?: number): void;
  /** Nothing came, and the answer is 200. */
  reset(): void;
}

export interface ToldOutside {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** What it was answered. */
  readonly status: number;
}

/** The host by which the app knows it. */
export const OUTSIDE_HOST = "crm.example.com";
export const OUTSIDE_URL = `https://${OUTSIDE_HOST}/hooks/concierge`;

/** Opens it on this machine; it keeps no process from ending. */
export async function openOutside(): Promise<Outside> {
  const told: ToldOutside[] = [];
  let answer = { status: 200, times: Infinity };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { status } = answer;
      answer.times -= 1;
      if (answer.times === 0) answer = { status: 200, times: Infinity };
      told.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers, body, status });
      response.writeHead(status, { "content-type": "application/json" }).end("{}");
    });
  });
  server.on("connection", (socket) => socket.unref());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref();
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    told,
    answers(status, times = Infinity) {
      answer = { status, times };
    },
    reset() {
      told.length = 0;
      answer = { status: 200, times: Infinity };
    },
  };
}
