import { describe, expect, test } from "@jest/globals";
import type { Lookup } from "../src/index.ts";
import { egress } from "../src/index.ts";
import { mappedServer, url } from "./mapped-server-fixture.ts";
import { failure, reply } from "./egress-requests.ts";
import { serve } from "./local-server.ts";

const at = mappedServer();

describe("A mapped host", () => {
  test("is reached at its target, under its own name, without TLS", async () => {
    const answered = await reply(at.door, {
      method: "post",
      url: "https://ACME.example:8443/v2/users?page=2",
      body: "é",
    });
    expect(answered).toMatchObject({ status: 200, body: "ok", attempts: 1 });
    expect(at.server.heard).toMatchObject([
      { method: "POST", url: "/v2/users?page=2", body: "é", headers: { host: "acme.example:8443" } },
    ]);
  });

  test("may be requested in plain http; other schemes, its subdomains and other spellings stay closed", async () => {
    expect((await reply(at.door, { url: "http://acme.example/" })).status).toBe(200);
    expect((await failure(at.door, { url: "ftp://acme.example/" })).reason).toBe("MUST_BE_HTTPS");
    expect((await failure(at.door, { url: "http://www.acme.example/" })).reason).toBe("MUST_BE_HTTPS");
    expect((await failure(at.door, { url: "https://acme.example./" })).reason).toBe("MUST_BE_FQDN");
  });

  test("can be changed for every request", async () => {
    const hosts = new Map<string, { origin: string }>();
    const lookup: Lookup = () => Promise.reject(new Error("ENOTFOUND"));
    const own = egress({ hosts: () => hosts, lookup });
    expect((await failure(own, { url })).reason).toBe("CONNECTION");
    hosts.set("acme.example", { origin: at.server.origin });
    expect((await reply(own, { url })).status).toBe(200);
    await own.close();
  });
});

describe("With loopback permitted, plain http reaches", () => {
  test.each(["127.0.0.1", "127.1", "localhost", "hook.example"])("%s", async (host) => {
    const own = egress({ allowLoopback: true, lookup: async () => [{ address: "127.0.0.1", family: 4 }] });
    expect((await reply(own, { url: `http://${host}:${at.server.port}/` })).body).toBe("ok");
    await own.close();
  });

  test("localhost by the system's resolver", async () => {
    const own = egress({ allowLoopback: true });
    expect((await reply(own, { url: `http://localhost:${at.server.port}/` })).body).toBe("ok");
    await own.close();
  });
});

test("A redirect is returned as it is", async () => {
  const inside = await serve((_request, out) => void out.end("inside"));
  at.answer = (_request, out) => void out.writeHead(302, { Location: `${inside.origin}/secret` }).end();
  const answered = await reply(at.door, { url, maxAttempts: 3 });
  expect(answered).toMatchObject({ status: 302, attempts: 1, headers: { location: `${inside.origin}/secret` } });
  expect(inside.heard).toEqual([]);
  await inside.close();
});

test.each(["CONNECT", "TRACE", "GET / HTTP/1.1\r\nX: y", ""])("The method %j is refused", async (method) => {
  expect(await failure(at.door, { url, method })).toMatchObject({
    code: 400,
    reason: "METHOD_DISALLOWED",
    attempts: 0,
  });
});
