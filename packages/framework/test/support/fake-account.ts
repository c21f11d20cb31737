import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that the account received. */
interface AccountRequest {
  readonly path: string;
  readonly authorization: string | undefined;
}

export interface FakeAccount {
  readonly origin: string;
  /** All received requests, oldest first. */
  readonly requests: AccountRequest[];
  /** Answers all further requests with this status; undefined restores the regular answers. */
  setFailure(status: number | undefined): void;
  close(): Promise<void>;
}

/** The account's valid API key. */
export const KEY = "key-of-acme-Zx81";

const GROUPS = { groups: [{ name: "Sales" }, { name: "Support" }] };

/**
 * Fake of an account's HTTP API: its configuration and its groups, for requests with the valid key. `/v2/groups?after=<ms>` answers after a
 * delay.
 */
export const startFakeAccount = async (): Promise<FakeAccount> => {
  const requests: AccountRequest[] = [];
  let failure: number | undefined;

  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", "http://account");
    requests.push({ path: url.pathname + url.search, authorization: request.headers.authorization });
    const reply = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (failure !== undefined) return reply(failure, {});
    if (request.headers.authorization !== `Bearer ${KEY}`) return reply(401, { status: "UNAUTHENTICATED" });
    if (url.pathname === "/v2/accounts/configuration") return reply(200, { account_id: 7, datacenter: "EUC" });
    if (url.pathname !== "/v2/groups") return reply(404, {});
    return setTimeout(() => reply(200, GROUPS), Number(url.searchParams.get("after") ?? 0));
  };

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    setFailure: (status) => void (failure = status),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};
