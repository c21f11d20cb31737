import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { api, consoleApi, messengerApi, rowsOf } from "@parley/contract";
import fastify, { type FastifyInstance } from "fastify";
import { addLoadShedding, isUncounted } from "../../../src/identity/edge/load-shedding.ts";

let app: FastifyInstance;
let url: string;
/** Ends the open replies. */
const ends: (() => void)[] = [];
beforeAll(async () => {
  app = fastify();
  addLoadShedding(app, { bounds: { requests: 2, bytes: 1_000 }, ended: () => undefined });
  const keepOpen = { handler: () => new Promise((resolve) => ends.push(() => resolve("ended"))) };
  app.route({ method: "GET", url: "/stream", config: { isUncounted: true }, ...keepOpen });
  app.route({ method: "GET", url: "/request", ...keepOpen });
  app.route({ method: "GET", url: "/short", handler: () => "short" });
  url = await app.listen({ port: 0, host: "127.0.0.1" });
});
afterAll(() => app.close());

const get = async (path: string): Promise<number> => (await fetch(url + path)).status;

test("open streams don't count against the requests that a process handles at a time, but other requests do", async () => {
  const streams = Array.from({ length: 5 }, () => get("/stream"));
  while (ends.length < 5) await get("/short");
  expect(await get("/short")).toBe(200);
  const requests = [get("/request"), get("/request")];
  while (ends.length < 7) await new Promise(setImmediate);
  expect(await get("/short")).not.toBe(200);
  for (const end of ends) end();
  expect(await Promise.all([...streams, ...requests])).toEqual(Array(7).fill(200));
});

test("the endpoints whose requests don't count are uploads, streams, exports and pictures", () => {
  const rows = rowsOf({ ...api, ...consoleApi, ...messengerApi }).map(({ row }) => row);
  const uncounted = rows.filter(isUncounted).map(({ route }) => route);
  expect(uncounted).toEqual(
    expect.arrayContaining([
      ...["GET /stream", "GET /console/api/stream", "GET /messenger/api/stream", "POST /messenger/api/files"],
      ...["POST /messenger/api/images", "POST /images/upload"],
    ]),
  );
  expect(uncounted).not.toContain("POST /messenger/api/conversations");
});
