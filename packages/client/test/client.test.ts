import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { isProblemError, parleyClient, type ProblemError } from "@parley/client";
import type { MessagePart } from "@parley/contract";
import axios from "axios";
import { serviceHarness } from "../../service/test/service-harness.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

const w = fileFixture(serviceHarness);

const refused = async (call: Promise<unknown>): Promise<ProblemError> => {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isProblemError(error)) throw new Error(`no ProblemError: ${String(error)}`);
  return error;
};

test.each(["", "/", "/v2", "/v2/"])("the base URL may end with '%s'", async (ending) => {
  const client = parleyClient({ url: w.url + ending, token: w.token });
  expect((await client.accounts.getConfiguration()).account_id).toBe(1001);
});

test("a refusal is thrown with the service's message and the headers", async () => {
  const error = await refused(w.client.users.getUser({ params: { user_id: "nobody" } }));
  expect(error).toMatchObject({
    name: "ProblemError",
    message: "404 USER_NOT_FOUND: user not found",
    problem: { code: 404, status: "USER_NOT_FOUND", message: "user not found" },
  });
  expect(error.headers["x-ratelimit-limit"]).toBe("1000000");
});

test("path parameters are encoded and remain one segment", async () => {
  for (const user_id of ["../agents", "a/b", "?", "#", "%", "ä ö"])
    expect((await refused(w.client.users.getUser({ params: { user_id } }))).problem.status).toBe("USER_NOT_FOUND");
});

test("a response without a body is undefined", async () => {
  const { id: user_id } = await w.client.users.createUser({ body: { first_name: "Ann" } });
  expect(await w.client.users.updateUser({ params: { user_id }, body: { last_name: "Lee" } })).toBeUndefined();
});

test("undefined query parameters are omitted, others are encoded", async () => {
  await w.client.users.createUser({ body: { email: "a+b&c=d@acme.example" } });
  const { users } = await w.client.users.listUsers({
    query: { email: "a+b&c=d@acme.example", first_name: undefined, page: 1 },
  });
  expect(users).toHaveLength(1);
});

test("a caller's own instance is used, with its interceptors", async () => {
  const seen: unknown[] = [];
  const own = axios.create();
  own.interceptors.request.use((config) => {
    seen.push(config.url);
    return config;
  });
  await parleyClient({ url: w.url, token: w.token, axios: own }).groups.listGroups();
  expect(seen).toEqual([`${w.url}/v2/groups`]);
});

describe("a response that is not the service's", () => {
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = createServer((request, reply) => {
      if (request.url?.includes("roles")) return;
      const moved = request.url?.includes("groups");
      reply.writeHead(moved ? 302 : 502, { "content-type": "text/html", location: "http://127.0.0.1:1/" });
      reply.end("<h1>Bad gateway</h1>");
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test("is thrown as a problem too", async () => {
    const error = await refused(parleyClient({ url, token: "t" }).agents.listAgents());
    expect(error.problem).toEqual({ code: 502, status: "BAD_GATEWAY", message: "Bad Gateway" });
  });
  test("does not redirect the token elsewhere", async () => {
    const error = await refused(parleyClient({ url, token: "t" }).groups.listGroups());
    expect(error.problem.code).toBe(302);
  });
  test("is waited for no longer than the time limit", async () => {
    await expect(parleyClient({ url, token: "t", timeoutMs: 100 }).roles.listRoles()).rejects.toThrow(/timeout/);
  });
});

/** Checked by the compiler, never called. */
export const types = async () => {
  // @ts-expect-error a path hole is mandatory
  await w.client.users.getUser();
  // @ts-expect-error of the right name
  await w.client.users.getUser({ params: { id: "1" } });
  // @ts-expect-error an unknown member
  await w.client.users.createUser({ body: { firstname: "x" } });
  // @ts-expect-error a mandatory body
  await w.client.users.createUser();
  // @ts-expect-error a nested button without its label
  const _part: MessagePart = { collection: { sub_parts: [{ url_button: { url: "u" } }] } };
  // @ts-expect-error a value that the list can't be sorted by
  await w.client.agents.listAgents({ query: { sort_by: "groups" } });
  const { agents } = await w.client.agents.listAgents();
  const name: string | undefined = agents[0]?.first_name;
  return name;
};
