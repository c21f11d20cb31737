import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { appFixture, type AppFixture } from "../support/app-fixture.ts";

/** HTTP packages that public apps use, installed from the npm registry as the product installs them. */
const DEPENDENCIES = { axios: "1.7.9", request: "2.88.2", "node-fetch": "2.7.0", superagent: "8.1.2", got: "11.8.6" };

const SERVER = `
const axios = require("axios"), request = require("request"), nodeFetch = require("node-fetch"), superagent = require("superagent"), got = require("got");
const ways = {
  axios: async (url, body) => { const { status, data } = await axios.post(url, body, { timeout: 5000 }); return { status, data }; },
  request: (url, body) => new Promise((yes, no) => request({ method: "POST", url, json: body, timeout: 5000 }, (error, response, data) =>
    error ? no(error) : yes({ status: response.statusCode, data }))),
  "node-fetch": async (url, body) => {
    const answer = await nodeFetch(url, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } });
    return { status: answer.status, data: await answer.json() }; },
  superagent: async (url, body) => { const { status, body: data } = await superagent.post(url).send(body); return { status, data }; },
  got: async (url, body) => { const { statusCode, body: data } = await got.post(url, { json: body, responseType: "json", retry: 0 }); return { status: statusCode, data }; },
};
exports = { call: ({ way, url }) => ways[way](url, { n: 1 }).then((value) => renderData(null, value), (error) => renderData(null, { message: error.message })) };`;

let server: Server;
let fixture: AppFixture;
const got: { url: string; body: string }[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      got.push({ url: `${request.headers.host}${request.url}`, body });
      if (request.url === "/away") return response.writeHead(307, { location: "https://other.example/" }).end();
      return response.writeHead(200, { "content-type": "application/json" }).end('{"ok":true}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  fixture = await appFixture(
    {
      server: SERVER,
      manifest: {
        "platform-version": "3.0",
        modules: { common: { functions: { call: {} } }, chat_conversation: {} },
        dependencies: DEPENDENCIES,
      },
    },
    { maps: new Map([["*.example", origin]]) },
  );
  await fixture.install();
});
afterAll(async () => {
  await fixture?.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const decide = (subject: string, isGranted: boolean) =>
  fixture.requestAsAuthor("consents", { subject, isGiven: isGranted });

test.each(Object.keys(DEPENDENCIES))(
  "%s is rejected without a consent, works with one, and follows no redirect to another host",
  async (client) => {
    await decide("api.example", false);
    got.length = 0;
    const call = async (path: string) =>
      (await fixture.call("call", { way: client, url: `https://api.example${path}` })).output;
    expect(await call("/x")).toMatchObject({ message: expect.stringContaining("may not call api.example") });
    expect(got).toEqual([]);
    await decide("api.example", true);
    expect(await call("/x")).toEqual({ status: 200, data: { ok: true } });
    expect(got).toEqual([{ url: "api.example/x", body: '{"n":1}' }]);
    // `request` follows redirects of GET only.
    if (client !== "request")
      expect(await call("/away")).toMatchObject({ message: expect.stringContaining("may not call other.example") });
    expect(got.map(({ url }) => url)).not.toContain("other.example/");
  },
);
