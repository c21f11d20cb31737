import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createRequestBreaker, type BreakerOutcome } from "../../src/runtime/process/request-breaker.ts";
import { appFixture, type AppFixture } from "../support/app-fixture.ts";

/** Requests whose last responses were too large are held back for a while. */

describe("a request whose last responses were too large", () => {
  let now = 0;
  const breaker = () => {
    now = 0;
    const own = createRequestBreaker(
      () => now,
      async (ms) => {
        now += ms;
      },
    );
    const run = async (outcome: BreakerOutcome, key = "large") => {
      const isSent = await own.enter(key);
      if (isSent) own.leave(key, outcome);
      return isSent;
    };
    const enter = (key: string) => own.enter(key);
    const leave = (key: string, outcome: BreakerOutcome) => own.leave(key, outcome);
    return { run, enter, leave };
  };

  test("is held back after the third one, and then tried after 5, 10, 20, 40 and 60 seconds", async () => {
    const { run } = breaker();
    for (let count = 0; count < 3; count += 1) expect(await run("too large")).toBe(true);
    for (const seconds of [5, 10, 20, 40, 60, 60]) {
      const closedAt = now;
      while (!(await run("too large"))) expect(now - closedAt).toBeLessThan(seconds * 1_000);
      expect(now - closedAt).toBeGreaterThanOrEqual(seconds * 1_000);
      expect(now - closedAt).toBeLessThan(seconds * 1_000 + 2_000);
    }
  });

  test("is tried once at a time", async () => {
    const { run, enter, leave } = breaker();
    for (let count = 0; count < 3; count += 1) await run("too large");
    now += 5_000;
    expect(await enter("large")).toBe(true);
    expect(await enter("large")).toBe(false);
    leave("large", "failed");
    expect(await enter("large")).toBe(true);
  });

  test("is sent as before once it was answered", async () => {
    const { run, enter } = breaker();
    for (let count = 0; count < 3; count += 1) await run("too large");
    now += 5_000;
    expect(await run("answered")).toBe(true);
    expect(await Promise.all([enter("large"), enter("large")])).toEqual([true, true]);
    expect(await run("too large")).toBe(true);
    expect(await run("too large")).toBe(true);
  });

  test("does not hold back other requests, nor does one that fails for another reason", async () => {
    const { run } = breaker();
    for (let count = 0; count < 3; count += 1) await run("too large");
    expect(await run("answered", "other")).toBe(true);
    for (let count = 0; count < 9; count += 1) expect(await run("failed", "unreachable")).toBe(true);
  });
});

describe("an app that repeats a request whose responses never end", () => {
  let server: Server;
  let fixture: AppFixture;
  let connections = 0;
  /** The request that is answered with 404, counted from 1. */
  let missingAt = 0;

  beforeEach(async () => {
    connections = 0;
    missingAt = 0;
    server = createServer((request, response) => {
      if (request.url !== "/endless") return void response.setHeader("content-type", "text/plain").end("small");
      connections += 1;
      if (connections === missingAt)
        return void response.writeHead(404, { "content-type": "text/plain" }).end("missing");
      response.writeHead(200, { "content-type": "text/plain" });
      const chunk = Buffer.alloc(65_536, " ");
      const write = (): void => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once("drain", write);
      };
      write();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const template = (path: string) => ({ schema: { method: "GET", host: "api.example", path } });
    fixture = await appFixture(
      {
        manifest: {
          "platform-version": "3.0",
          modules: {
            common: { requests: { endless: {}, small: {} } },
            chat_conversation: { events: { onMessageCreate: { handler: "repeat" } } },
          },
        },
        files: {
          "config/requests.json": JSON.stringify({ endless: template("/endless"), small: template("/small") }),
          "server/server.js": `exports = {
            async repeat() {
              for (let count = 0; count < 5; count += 1)
                await $request.invokeTemplate("endless", {}).catch(({ status, response }) => console.log(status + " " + response));
              console.log((await $request.invokeTemplate("small", {})).response);
            },
          };`,
        },
      },
      {
        maps: new Map([["*.example", `http://127.0.0.1:${(server.address() as AddressInfo).port}`]]),
        settings: { maxResponseBytes: 200_000, callTimeoutMs: 20_000 },
      },
    );
    await fixture.install();
  });
  afterEach(async () => {
    await fixture.close();
    server.closeAllConnections();
    server.close();
  });

  test("gets an error that says so, the server gets no more of them, and the app's other requests are sent", async () => {
    const { ok, lines } = await fixture.sendEvent("onMessageCreate", { data: {} });
    const texts = lines.map(({ text }) => text);
    const tooLarge = "502 Response is too large";
    const heldBack = expect.stringContaining("so it was not sent. Request less at a time, and try again in a minute");
    expect([ok, texts]).toEqual([true, [tooLarge, tooLarge, tooLarge, heldBack, heldBack, "small"]]);
    expect(connections).toBe(3);
  });

  test("is not held back when another response came between them", async () => {
    missingAt = 3;
    const { ok, lines } = await fixture.sendEvent("onMessageCreate", { data: {} });
    const tooLarge = "502 Response is too large";
    const texts = lines.map(({ text }) => text);
    expect([ok, texts]).toEqual([true, [tooLarge, tooLarge, "404 missing", tooLarge, tooLarge, "small"]]);
    expect(connections).toBe(5);
  });
});
