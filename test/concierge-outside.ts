import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** Another system, such as a CRM: records Concierge's requests and answers them. */
export interface Outside {
  /** Its URL on this machine. */
  readonly origin: string;
  /** Received requests, oldest first; `reset` removes them. */
  readonly told: readonly ToldOutside[];
  /** Sets the status of all further responses, or of `times` responses, followed by 200. */
  answers(status: number, times?: number): void;
  /** Removes the recorded requests and restores the status 200. */
  reset(): void;
}

export interface ToldOutside {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Status of the response. */
  readonly status: number;
}

/** The host name in the app's settings. */
export const OUTSIDE_HOST = "crm.example.com";
export const OUTSIDE_URL = `https://${OUTSIDE_HOST}/hooks/concierge`;

/** Starts it on this machine. It does not keep the process from ending. */
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
