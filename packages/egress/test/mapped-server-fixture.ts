import { afterAll, beforeAll, beforeEach } from "@jest/globals";
import type { Egress } from "../src/index.ts";
import { egress } from "../src/index.ts";
import type { Answer, LocalServer } from "./local-server.ts";
import { serve } from "./local-server.ts";

/** A local server under the name acme.example for the tests of one file, and a client for it; each test sets its own `answer`. */
export interface Mapped {
  server: LocalServer;
  door: Egress;
  answer: Answer;
}

export const url = "https://acme.example/v2/users?page=2#top";

/** A separate client for the same server. */
export const doorTo = ({ origin }: Pick<LocalServer, "origin">): Egress =>
  egress({ hosts: new Map([["acme.example", { origin }]]) });

export const mappedServer = (): Mapped => {
  const mapped = {} as Mapped;
  beforeAll(async () => {
    mapped.server = await serve((request, out) => mapped.answer(request, out));
    mapped.door = doorTo(mapped.server);
  });
  beforeEach(() => {
    mapped.server.heard.length = 0;
    mapped.answer = (_request, out) => void out.end("ok");
  });
  afterAll(async () => {
    await mapped.door.close();
    await mapped.server.close();
  });
  return mapped;
};
