import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Frame, Page } from "playwright-core";
import { KEY } from "../support/fake-account.ts";
import { AGENT_PAGE_TOKEN } from "./fake-front-service.ts";
import { frameOf, frontFixture, settledState, VALUES, type FrontFixture } from "./front-fixture.ts";

/** Data, parameters, records and requests that the host provides to the app's client. */

let fixture: FrontFixture;
let page: Page;
let frame: Frame;
beforeAll(async () => {
  fixture = await frontFixture("front-pages");
  fixture.service.createConversation("c-1", "Sam", "Where is my order?");
  await fixture.host.install(VALUES);
  page = await fixture.visit();
  frame = await frameOf(page, "index.html");
});
afterAll(() => fixture.close());

describe("client.data.get", () => {
  test.each([
    ["loggedInAgent", { id: "agent-1", email: "ada@example.com" }],
    ["loggedInUser", { id: "agent-1" }],
    ["user", { id: "user-of-c-1", first_name: "Sam" }],
    ["conversation", { conversation_id: "c-1", users: [{ first_name: "Sam" }], messages: [{ actor_type: "user" }] }],
    [
      "currentHost",
      { subscribed_modules: ["chat_conversation"], endpoint_urls: { freshchat: "https://acme.parley.localhost" } },
    ],
  ])("%s returns the live record under its name", async (name, record) => {
    expect(await settledState(frame, `client.data.get("${name}")`)).toMatchObject(["ok", { [name]: record }]);
  });

  test("domainName returns the account's host", async () => {
    expect(await settledState(frame, `client.data.get("domainName")`)).toEqual(["ok", { domainName: VALUES.domain }]);
  });

  test("with an unknown name lists the known ones", async () => {
    const [outcome, failure] = await settledState(frame, `client.data.get("ticket")`);
    expect(outcome).toBe("no");
    expect(failure).toMatchObject({
      status: 404,
      message: expect.stringMatching(/'ticket'.*loggedInAgent, .*domainName/),
    });
  });
});

describe("client.iparams.get", () => {
  test("returns all parameters except secure parameters", async () => {
    const answer = await settledState(frame, "client.iparams.get()");
    expect(answer).toEqual(["ok", { domain: VALUES.domain, note: "usual" }]);
  });

  test("returns one parameter under its key", async () => {
    expect(await settledState(frame, `client.iparams.get("note")`)).toEqual(["ok", { note: "usual" }]);
  });

  test("rejects a secure parameter", async () => {
    const answer = await settledState(frame, `client.iparams.get("api_key")`);
    expect(answer).toMatchObject(["no", { message: expect.stringContaining("is secure") }]);
  });

  test.each(["gone", "constructor", "__proto__"])("rejects an unknown key, %s, as not found", async (key) => {
    const message = `No installation parameter matches the key '${key}'.`;
    expect(await settledState(frame, `client.iparams.get("${key}")`)).toEqual(["no", { status: 404, message }]);
  });
});

test("client.db stores records of the installation by the same rules as $db", async () => {
  expect(await settledState(frame, `client.db.set("k", { n: 1, list: [1] })`)).toEqual(["ok", { Created: true }]);
  const again = await settledState(frame, `client.db.set("k", {}, { setIf: "not_exist" })`);
  expect(again).toEqual(["no", { status: 400, message: "The setIf conditional request failed" }]);
  expect(await settledState(frame, `client.db.update("k", "increment", { n: 2 })`)).toEqual(["ok", { Updated: true }]);
  expect(await settledState(frame, `client.db.get("k")`)).toEqual(["ok", { n: 3, list: [1] }]);
  expect(await settledState(frame, `client.db.delete("k")`)).toEqual(["ok", { Deleted: true }]);
  expect(await settledState(frame, `client.db.get("k")`)).toEqual(["no", { status: 404, message: "Record not found" }]);
  const shapeless = await settledState(frame, `client.db.set("", 1)`);
  expect(shapeless).toMatchObject(["no", { status: 400 }]);
});

describe("client.request", () => {
  test("invokeTemplate sends a template with the API key, which the page never receives", async () => {
    const [outcome, reply] = await settledState(frame, `client.request.invokeTemplate("listGroups", {})`);
    expect(outcome).toBe("ok");
    expect(reply).toMatchObject({
      status: 200,
      attempts: 1,
      response: JSON.stringify({ groups: [{ name: "Sales" }] }),
    });
  });

  test("invokeTemplate rejects an unknown template in the documented shape", async () => {
    const [outcome, failure] = await settledState(frame, `client.request.invokeTemplate("gone", {})`);
    expect(outcome).toBe("no");
    expect(failure).toMatchObject({ status: expect.any(Number), message: expect.any(String), errorSource: "APP" });
  });

  test("invoke calls a function of server/", async () => {
    const [outcome, answer] = await settledState(frame, `client.request.invoke("add", { a: 2, b: 3 })`);
    expect([outcome, answer]).toMatchObject(["ok", { requestID: expect.any(String), response: { sum: 5 } }]);
  });

  test("invoke of a function that rejects rejects with its status and message", async () => {
    const [outcome, failure] = await settledState(frame, `client.request.invoke("refuse", {})`);
    expect([outcome, failure]).toMatchObject(["no", { status: 422, message: "not like this", errorSource: "APP" }]);
  });
});

test("arguments that can't be sent or are too large are rejected, and the channel keeps working", async () => {
  const circle = await settledState(frame, "(() => { const o = {}; o.o = o; return client.db.set('k', o); })()");
  expect(circle).toMatchObject(["no", { status: 400 }]);
  const large = await settledState(frame, "client.db.set('k', { text: 'x'.repeat(600_000) })");
  expect(large).toMatchObject(["no", { status: 413 }]);
  expect(await settledState(frame, `client.data.get("domainName")`)).toMatchObject(["ok", {}]);
});

test("no content or request of the page contains the API key or the agent page's token", async () => {
  const text = await page.content();
  expect(text).not.toContain(KEY);
  expect(text).not.toContain(AGENT_PAGE_TOKEN);
});

describe("an app of an older platform-version", () => {
  let old: FrontFixture;
  let oldFrame: Frame;
  beforeAll(async () => {
    old = await frontFixture("front-old");
    old.service.createConversation("c-1", "Sam", "Hello");
    await old.host.install(VALUES);
    oldFrame = await frameOf(await old.visit(), "template.html");
  });
  afterAll(() => old.close());

  test("loads the client from the legacy script's URL and uses the verbs", async () => {
    const options = `{ headers: { Authorization: "Bearer <%= iparam.api_key %>" } }`;
    const reply = await settledState(
      oldFrame,
      `client.request.get("https://acme.parley.localhost/v2/groups", ${options})`,
    );
    expect(reply).toMatchObject(["ok", { status: 200 }]);
  });

  test.each(["post", "put", "patch", "delete"])(
    "receives the service's response from client.request.%s",
    async (verb) => {
      const options = `{ headers: { Authorization: "Bearer <%= iparam.api_key %>" }, json: { n: 1 } }`;
      const reply = await settledState(
        oldFrame,
        `client.request.${verb}("https://acme.parley.localhost/v2/none", ${options})`,
      );
      expect(reply).toMatchObject(["no", { status: 404, response: "{}", errorSource: "APP" }]);
    },
  );

  test("can't request an undeclared URL", async () => {
    const answer = await settledState(oldFrame, `client.request.get("https://elsewhere.example/x", {})`);
    expect(answer).toMatchObject([
      "no",
      { message: expect.stringMatching(/^This domain has not been whitelisted: /) as unknown, errorSource: "APP" },
    ]);
  });
});
