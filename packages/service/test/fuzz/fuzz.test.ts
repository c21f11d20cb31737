import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { openapi } from "@parley/contract";
import { serviceHarness, type ServiceHarness } from "../service-harness.ts";
import { fuzz } from "./fuzz.ts";
import { disconnect } from "./send-request.ts";

let w: ServiceHarness;
beforeAll(async () => {
  w = await serviceHarness();
});
afterAll(async () => {
  disconnect();
  await w.close();
});

test("requests generated from the OpenAPI document are answered as the document states", async () => {
  const { sent, responses, finding } = await fuzz({
    url: w.url,
    token: w.token,
    requests: 600,
    seed: 20,
    concurrency: 4,
  });
  expect(finding).toBeUndefined();
  expect(sent).toBeGreaterThanOrEqual(600);
  // Not all of them may be refused.
  for (const success of ["createUser 201", "listAgents 200", "updateConversation 200", "createMessage 200"])
    expect([...responses.keys()]).toContain(success);
});

test("a response that contradicts the document is found, reduced, and printed as commands that repeat it", async () => {
  const server = createServer((request, reply) => {
    const isDocument = request.url?.endsWith("openapi.json");
    const body = isDocument ? openapi() : { code: 418, status: "TEAPOT", message: "no" };
    for (const name of ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimitReset"]) reply.setHeader(name, "1");
    reply.writeHead(isDocument ? 200 : 418, { "content-type": "application/json" }).end(JSON.stringify(body));
    request.resume();
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { finding } = await fuzz({ url, token: "secret", requests: 100, seed: 1, concurrency: 1 });
  server.closeAllConnections();
  server.close();
  expect(finding?.fault).toMatch(/the status 418 is not documented/);
  // The three requests of the set-up, and the one with the wrong response.
  expect(finding?.lines).toHaveLength(4);
  expect(finding?.lines.at(-1)).toMatch(
    new RegExp(`^curl -sS -i -X [A-Z]+ '${url}/v2/.*-H "Authorization: Bearer \\$TOKEN"`),
  );
  expect(finding?.lines.join()).not.toContain("secret");
});
