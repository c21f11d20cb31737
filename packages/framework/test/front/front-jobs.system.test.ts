import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Job } from "@parley/contract";
import type { Frame } from "playwright-core";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { frameOf, frontFixture, settledState, VALUES, type FrontFixture } from "./front-fixture.ts";

/** Jobs and entity storage in a page of the app. */

const manifest = JSON.parse(
  readFileSync(new URL("../fixtures/front-pages/manifest.json", import.meta.url), "utf8"),
) as {
  modules: { common: object };
};
const SERVER = `const allowed = async (name, least = 1) => {
  while (!((await $db.get(name).catch(() => ({}))).n >= least)) await new Promise((go) => setTimeout(go, 20));
};
exports = {
  add() { renderData(null, {}); }, refuse() { renderData({ message: "no" }); },
  sync: async ({ parts, iparams }) => {
    for (let part = 1; part <= parts; part += 1) {
      await $job.updateStatusMessage("part " + part + " for " + iparams.note);
      await allowed("parts", part);
    }
    await $db.set("synced", { parts });
  },
  fail: async () => { await $job.updateStatusMessage("trying"); throw new Error("broken"); },
  refused: () => renderData({ message: "not today" }),
  wait: () => allowed("end"),
  ask: async () => {
    const outcome = (work) => work.then((value) => value, ({ status, message }) => ({ status, message }));
    await $db.set("asked", { outside: await outcome($job.history({ tag: "x" })), unknown: await outcome($job.get("gone")) });
  },
};`;

let fixture: FrontFixture;
let frame: Frame;
beforeAll(async () => {
  const { modules, ...rest } = manifest;
  const jobs = { sync: {}, fail: {}, refused: {}, wait: {}, ask: {} };
  fixture = await frontFixture("front-pages", {
    files: {
      "manifest.json": JSON.stringify({ ...rest, modules: { ...modules, common: { ...modules.common, jobs } } }),
      "server/server.js": SERVER,
      "config/entities.json": JSON.stringify({
        notes: { fields: [{ name: "text", label: "Text", type: "text", required: true, filterable: true }] },
      }),
    },
  });
  fixture.service.createConversation("c-1", "Sam", "Hello");
  await fixture.host.install(VALUES);
  frame = await frameOf(await fixture.visit(), "index.html");
});
afterAll(() => fixture.close());

const value = async (expression: string): Promise<unknown> => {
  const [outcome, result] = await settledState(frame, expression);
  if (outcome === "no") throw new Error(JSON.stringify(result));
  return result;
};
const invoke = async (expression: string) => (await value(`client.job.invoke(${expression})`)) as Job;
const get = async (id: string) => (await value(`client.job.get("${id}")`)) as Job;
const ended = (id: string): Promise<Job> =>
  waitUntil(async () => {
    const job = await get(id);
    return job.end_time === undefined ? undefined : job;
  });
/** Lets jobs that wait for a number continue. */
const allow = (name: string, n: number) => value(`client.db.set("${name}", { n: ${n} })`);

describe("client.job.invoke", () => {
  test("starts a job immediately and reports its status and messages until it ends", async () => {
    const job = await invoke(`"sync", "contacts", { parts: 3 }`);
    expect(job).toEqual({
      id: expect.any(String),
      name: "sync",
      tag: "contacts",
      start_time: expect.any(Number),
      status: "in-progress",
      status_message: "",
    });
    for (const part of [1, 2, 3]) {
      const text = `part ${part} for usual`;
      await waitUntil(async () => (await get(job.id)).status_message === text);
      expect(await get(job.id)).toMatchObject({ status: "in-progress", status_message: text });
      await allow("parts", part);
    }
    expect(await ended(job.id)).toMatchObject({ status: "success", status_message: "part 3 for usual" });
    expect(await value(`client.db.get("synced")`)).toEqual({ parts: 3 });
  });

  test("works without a tag, as some apps call it", async () => {
    const { id } = await invoke(`"sync", { parts: 0 }`);
    expect(await ended(id)).toMatchObject({ tag: "", status: "success" });
  });

  test.each([
    [`"fail", "t", {}`, "Error: broken"],
    [`"refused", "t", {}`, "not today"],
  ])("of a function that fails returns the reason: %s", async (call, message) => {
    expect(await ended((await invoke(call)).id)).toMatchObject({ status: "failed", status_message: message });
  });

  test.each([
    [`"gone", "t", {}`, 404, "The job 'gone' is not mentioned in manifest.json"],
    [`"constructor", "t", {}`, 404, "The job 'constructor' is not mentioned in manifest.json"],
    [`"sync", "t", 7`, 400, "The job 'sync' takes an object"],
    [`"sync", 7, {}`, 400, "The tag of a job must be a text of at most 256 characters"],
  ])("rejects %s", async (call, status, message) => {
    expect(await settledState(frame, `client.job.invoke(${call})`)).toEqual(["no", { status, message }]);
  });

  test("rejects a sixteenth job while fifteen are running", async () => {
    const call = `client.job.invoke("wait", "many", {}).catch((failure) => failure)`;
    const outcomes = (await value(`Promise.all([${Array.from({ length: 18 }, () => call).join(", ")}])`)) as Job[];
    const jobs = outcomes.filter(({ id }) => id !== undefined);
    await allow("end", 1);
    expect(jobs).toHaveLength(15);
    expect(outcomes.filter(({ id }) => id === undefined)).toEqual(
      Array(3).fill({ status: 429, message: "At most 15 jobs may be at work at once" }),
    );
    for (const { id } of jobs) expect(await ended(id)).toMatchObject({ status: "success" });
  });
});

test("client.job.get of an unknown job answers 404, and unsupported methods say so", async () => {
  expect(await settledState(frame, `client.job.get("gone")`)).toEqual([
    "no",
    { status: 404, message: "Job not found" },
  ]);
  const history = "client.job.history({}).catch(({ status, message }) => Promise.reject({ status, message }))";
  expect(await settledState(frame, history)).toEqual([
    "no",
    { status: 501, message: "client.job.history is not supported here" },
  ]);
  await ended((await invoke(`"ask", "t", {}`)).id);
  expect(await value(`client.db.get("asked")`)).toEqual({
    outside: { status: 501, message: "$job.history is not supported here" },
    unknown: { status: 404, message: "Job not found" },
  });
});

test("client.db.entity stores records by the same rules as $db.entity", async () => {
  const notes = `client.db.entity({ version: "v1" }).get("notes")`;
  const created = (await value(`${notes}.create({ text: "one" })`)) as { record: { display_id: string } };
  expect(created.record).toMatchObject({ data: { text: "one" } });
  expect(await value(`${notes}.getAll({ query: { text: "one" } })`)).toEqual({ records: [created.record], links: {} });
  expect(await value(`${notes}.get("${created.record.display_id}")`)).toEqual(created);
  expect(await settledState(frame, `${notes}.create({})`)).toEqual([
    "no",
    {
      status: 400,
      message: "Invalid input field",
      errors: [{ name: "text", message: "text is required" }],
      errorSource: "APP",
    },
  ]);
});

test("client.db.update creates an absent record", async () => {
  expect(await value(`client.db.update("fresh", "increment", { n: 1 })`)).toEqual({ Updated: true });
  expect(await value(`client.db.get("fresh")`)).toEqual({ n: 1 });
});
