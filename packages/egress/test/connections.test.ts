import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "@jest/globals";
import type { HostAddress, Lookup } from "../src/index.ts";
import { egress } from "../src/index.ts";
import { egressTo, mappedServerFixture, MAPPED_URL } from "./mapped-server-fixture.ts";
import { failureOf, sendRequest } from "./egress-requests.ts";

const at = mappedServerFixture();

describe("Connections", () => {
  test("are reused by later requests, until they are closed", async () => {
    const own = egressTo(at.server);
    const before = at.server.connections();
    for (let times = 0; times < 20; times += 1) await sendRequest(own, { url: MAPPED_URL });
    // A second one may be opened while the first one finishes its response.
    expect(at.server.connections() - before).toBeLessThanOrEqual(2);
    await own.close();
    expect(await failureOf(own, { url: MAPPED_URL, maxAttempts: 5, retryDelayMs: 60_000 })).toMatchObject({
      reason: "CONNECTION",
    });
  });

  test("that are closed during a request end it without another attempt", async () => {
    const own = egressTo(at.server);
    at.replyWith = () => void own.close();
    const lost = await failureOf(own, { url: MAPPED_URL, maxAttempts: 5, retryDelayMs: 60_000 });
    expect(lost).toMatchObject({ reason: "CONNECTION", attempts: 1 });
  });

  test("are tried at each checked address until one responds", async () => {
    const lookup: Lookup = async () => [
      { address: "::1", family: 6 },
      { address: "127.0.0.1", family: 4 },
    ];
    const own = egress({ allowLoopback: true, lookup });
    expect(await sendRequest(own, { url: `http://name.example:${at.server.port}/` })).toMatchObject({
      body: "ok",
      attempts: 1,
    });
    await own.close();
  });

  test("are reused when a resolver changes the order of addresses", async () => {
    const response: HostAddress[] = [
      { address: "127.0.0.1", family: 4 },
      { address: "::1", family: 6 },
    ];
    const own = egress({ allowLoopback: true, lookup: async () => [...response.reverse()] });
    const before = at.server.connections();
    await sendRequest(own, { url: `http://name.example:${at.server.port}/` });
    await setTimeout(50);
    await sendRequest(own, { url: `http://name.example:${at.server.port}/` });
    expect(at.server.connections() - before).toBe(1);
    await own.close();
  });

  test("are closed, longest unused first, if there are very many", async () => {
    const own = egress({ allowLoopback: true, lookup: async () => [{ address: "127.0.0.1", family: 4 }] });
    const ask = async (name: number): Promise<number> => {
      const before = at.server.connections();
      await sendRequest(own, { url: `http://name-${name}.example:${at.server.port}/` });
      return at.server.connections() - before;
    };
    for (let name = 0; name < 256; name += 1) await ask(name);
    expect([await ask(0), await ask(256)]).toEqual([0, 1]);
    expect([await ask(0), await ask(1)]).toEqual([0, 1]);
    await own.close();
  });

  test("are not shared between the addresses of one name", async () => {
    const v4: HostAddress = { address: "127.0.0.1", family: 4 };
    const addresses: HostAddress[] = [v4, { address: "::1", family: 6 }, v4];
    const lookup: Lookup = async () => addresses.splice(0, 1);
    const own = egress({ allowLoopback: true, lookup });
    const target = `http://name.example:${at.server.port}/`;
    const before = at.server.connections();
    await sendRequest(own, { url: target });
    expect((await failureOf(own, { url: target })).reason).toBe("CONNECTION");
    await sendRequest(own, { url: target });
    expect(at.server.connections() - before).toBe(1);
    await own.close();
  });
});
