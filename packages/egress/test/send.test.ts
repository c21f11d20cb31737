import { describe, expect, test } from "@jest/globals";
import type { Lookup } from "../src/index.ts";
import { egress } from "../src/index.ts";
import { mappedServerFixture, MAPPED_URL } from "./mapped-server-fixture.ts";
import { failureOf, sendRequest } from "./egress-requests.ts";
import { startLocalServer } from "./local-server.ts";

const at = mappedServerFixture();

describe("A mapped host", () => {
  test("is reached at its target, under its own name, without TLS", async () => {
    const answered = await sendRequest(at.egress, {
      method: "post",
      url: "https://ACME.example:8443/v2/users?page=2",
      body: "é",
    });
    expect(answered).toMatchObject({ status: 200, body: "ok", attempts: 1 });
    expect(at.server.received).toMatchObject([
      { method: "POST", url: "/v2/users?page=2", body: "é", headers: { host: "acme.example:8443" } },
    ]);
  });

  test("may be requested in plain http; other schemes, its subdomains and other spellings stay closed", async () => {
    expect((await sendRequest(at.egress, { url: "http://acme.example/" })).status).toBe(200);
    expect((await failureOf(at.egress, { url: "ftp://acme.example/" })).reason).toBe("MUST_BE_HTTPS");
    expect((await failureOf(at.egress, { url: "http://www.acme.example/" })).reason).toBe("MUST_BE_HTTPS");
    expect((await failureOf(at.egress, { url: "https://acme.example./" })).reason).toBe("MUST_BE_FQDN");
  });

  test("can be changed for every request", async () => {
    const hosts = new Map<string, { origin: string }>();
    const lookup: Lookup = () => Promise.reject(new Error("ENOTFOUND"));
    const own = egress({ hosts: () => hosts, lookup });
    expect((await failureOf(own, { url: MAPPED_URL })).reason).toBe("CONNECTION");
    hosts.set("acme.example", { origin: at.server.origin });
    expect((await sendRequest(own, { url: MAPPED_URL })).status).toBe(200);
    await own.close();
  });
});

describe("Headers for hosts of this installation", () => {
  const own = { ownHeaders: { traceparent: "00-a-b-01" }, headers: { TraceParent: "of the caller", accept: "*/*" } };

  test("replace those of the caller at a mapped host", async () => {
    await sendRequest(at.egress, { url: MAPPED_URL, ...own });
    expect(at.server.received.at(-1)?.headers).toMatchObject({ traceparent: "00-a-b-01", accept: "*/*" });
  });

  test("are not sent to another host, even at the same address", async () => {
    const others = egress({ allowLoopback: true });
    await sendRequest(others, { url: `http://127.0.0.1:${at.server.port}/`, ...own });
    expect(at.server.received.at(-1)?.headers).toMatchObject({ traceparent: "of the caller", accept: "*/*" });
    await others.close();
  });
});

describe("With loopback permitted, plain http reaches", () => {
  test.each(["127.0.0.1", "127.1", "localhost", "hook.example"])("%s", async (host) => {
    const own = egress({ allowLoopback: true, lookup: async () => [{ address: "127.0.0.1", family: 4 }] });
    expect((await sendRequest(own, { url: `http://${host}:${at.server.port}/` })).body).toBe("ok");
    await own.close();
  });

  test("localhost by the system's resolver", async () => {
    const own = egress({ allowLoopback: true });
    expect((await sendRequest(own, { url: `http://localhost:${at.server.port}/` })).body).toBe("ok");
    await own.close();
  });
});

test("A redirect is returned as it is", async () => {
  const inside = await startLocalServer((_request, out) => void out.end("inside"));
  at.replyWith = (_request, out) => void out.writeHead(302, { Location: `${inside.origin}/secret` }).end();
  const answered = await sendRequest(at.egress, { url: MAPPED_URL, maxAttempts: 3 });
  expect(answered).toMatchObject({ status: 302, attempts: 1, headers: { location: `${inside.origin}/secret` } });
  expect(inside.received).toEqual([]);
  await inside.close();
});

test.each(["CONNECT", "TRACE", "GET / HTTP/1.1\r\nX: y", ""])("The method %j is refused", async (method) => {
  expect(await failureOf(at.egress, { url: MAPPED_URL, method })).toMatchObject({
    code: 400,
    reason: "METHOD_DISALLOWED",
    attempts: 0,
  });
});
