import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** Another system, such as a CRM: records Concierge's requests and answers them. */
export interface FakeExternalSystem {
  /** Its URL on this machine. */
  readonly origin: string;
  /** Received requests, oldest first; `reset` removes them. */
  readonly requests: readonly RecordedSyncRequest[];
  /** Sets the status of all further responses, or of `times` responses, followed by 200. */
  respondWith(status: number, times?: number): void;
  /** Removes the recorded requests and restores the status 200. */
  reset(): void;
}

interface RecordedSyncRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Status of the response. */
  readonly status: number;
}

/** The host name in the app's settings. */
export const EXTERNAL_SYSTEM_HOST = "crm.example.com";
export const EXTERNAL_SYSTEM_URL = `https://${EXTERNAL_SYSTEM_HOST}/hooks/concierge`;

/** Starts it on this machine. It does not keep the process from ending. */
export async function startFakeExternalSystem(): Promise<FakeExternalSystem> {
  const requests: RecordedSyncRequest[] = [];
  let nextResponse = { status: 200, times: Infinity };
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { status } = nextResponse;
      nextResponse.times -= 1;
      if (nextResponse.times === 0) nextResponse = { status: 200, times: Infinity };
      requests.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers, body, status });
      response.writeHead(status, { "content-type": "application/json" }).end("{}");
    });
  });
  server.on("connection", (socket) => socket.unref());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref();
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    respondWith(status, times = Infinity) {
      nextResponse = { status, times };
    },
    reset() {
      requests.length = 0;
      nextResponse = { status: 200, times: Infinity };
    },
  };
}
