import { afterAll, beforeAll, beforeEach } from "@jest/globals";
import type { Egress } from "../src/index.ts";
import { egress } from "../src/index.ts";
import type { ReplyToRequest, LocalServer } from "./local-server.ts";
import { startLocalServer } from "./local-server.ts";

/** A local server under the name acme.example for the tests of one file, and a client for it; each test sets its own `answer`. */
export interface MappedServer {
  server: LocalServer;
  egress: Egress;
  replyWith: ReplyToRequest;
}

export const MAPPED_URL = "https://acme.example/v2/users?page=2#top";

/** A separate client for the same server. */
export const egressTo = ({ origin }: Pick<LocalServer, "origin">): Egress =>
  egress({ hosts: new Map([["acme.example", { origin }]]) });

export const mappedServerFixture = (): MappedServer => {
  const mapped = {} as MappedServer;
  beforeAll(async () => {
    mapped.server = await startLocalServer((request, out) => mapped.replyWith(request, out));
    mapped.egress = egressTo(mapped.server);
  });
  beforeEach(() => {
    mapped.server.received.length = 0;
    mapped.replyWith = (_request, out) => void out.end("ok");
  });
  afterAll(async () => {
    await mapped.egress.close();
    await mapped.server.close();
  });
  return mapped;
};
