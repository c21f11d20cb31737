import { describe, expect, jest, test } from "@jest/globals";
import type { Lookup } from "../src/index.ts";
import { egress } from "../src/index.ts";
import { certificate } from "./certificate-builder.ts";
import { failureOf, sendRequest } from "./egress-requests.ts";
import { startLocalServer } from "./local-server.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

const NAME = "tls.parley.example";
const own = certificate(NAME);
let status = 200;
const server = fileFixture(() =>
  startLocalServer((request, out) => {
    out.statusCode = status;
    out.end(`you asked ${request.headers.host}`);
  }, own),
);

const loopbackFirst = () =>
  jest
    .fn<Lookup>(async () => [{ address: "10.0.0.7", family: 4 }])
    .mockResolvedValueOnce([{ address: "127.0.0.1", family: 4 }]);
const guarded = (lookup: Lookup, ca: readonly string[] = [own.cert]) => egress({ allowLoopback: true, lookup, ca });

describe("Over TLS", () => {
  test("every attempt connects to the checked address and verifies the certificate for the host name", async () => {
    status = 503;
    const lookup = loopbackFirst();
    const out = guarded(lookup);
    const response = await sendRequest(out, { url: `https://${NAME}:${server.port}/`, maxAttempts: 3 });
    expect(response).toMatchObject({ status: 503, attempts: 3, body: `you asked ${NAME}:${server.port}` });
    expect(lookup.mock.calls).toEqual([[NAME]]);
    await out.close();
    status = 200;
  });

  test("a certificate for another name is a failed connection", async () => {
    const out = guarded(loopbackFirst());
    const refusal = await failureOf(out, { url: `https://other.parley.example:${server.port}/` });
    expect(refusal).toMatchObject({ code: 502, reason: "CONNECTION", attempts: 1 });
    expect(refusal.cause).toMatchObject({ code: "ERR_TLS_CERT_ALTNAME_INVALID" });
    await out.close();
  });

  test("a certificate of an unknown authority is a failed connection", async () => {
    const out = guarded(loopbackFirst(), []);
    const refusal = await failureOf(out, { url: `https://${NAME}:${server.port}/` });
    expect(refusal.cause).toMatchObject({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
    await out.close();
  });

  test("a server without TLS is a failed connection", async () => {
    const plain = await startLocalServer((_request, out) => void out.end());
    const out = guarded(loopbackFirst());
    const refusal = await failureOf(out, { url: `https://${NAME}:${plain.port}/` });
    expect(refusal).toMatchObject({ code: 502, reason: "CONNECTION" });
    expect(plain.received).toEqual([]);
    await out.close();
    await plain.close();
  });
});
