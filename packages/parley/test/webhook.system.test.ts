import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ROOT } from "../../../test/support/parley-process.ts";
import { commandHarness } from "./command-harness.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

/** `parley webhook`, and the example receiver that verifies signatures. */

const harness = fileFixture(commandHarness);

interface AddedWebhook {
  readonly id: string;
  readonly publicKey: string;
  readonly secret: string;
}
const add = async (...args: string[]) =>
  JSON.parse(await harness.callSuccessfully(["webhook", "add", ...args, "--json"])) as AddedWebhook;

/** Returns a port that is currently free. */
const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
};

describe("parley webhook", () => {
  test("add --json prints exactly id, publicKey and secret in one line", async () => {
    const webhook = await add("https://hooks.example.com/");
    expect(Object.keys(webhook)).toEqual(["id", "publicKey", "secret"]);
    expect(webhook.publicKey).toMatch(/^-----BEGIN PUBLIC KEY-----[\s\S]*-----END PUBLIC KEY-----\n$/);
    expect(webhook.secret).toMatch(/^whsec_/);
    await harness.callSuccessfully(["webhook", "remove", webhook.id]);
  });

  test("add prints the same as text; list, change, off, on and remove accept the id", async () => {
    const text = await harness.callSuccessfully([
      "webhook",
      "add",
      "https://hooks.example.com/a",
      "-a",
      "message_create",
    ]);
    const id = /^Id +(\S+)$/m.exec(text)?.[1] ?? "";
    for (const words of ["BEGIN PUBLIC KEY", "whsec_", "message_create", "shown only once"])
      expect(text).toContain(words);
    expect(await harness.callSuccessfully(["webhook", "list"])).toMatch(
      new RegExp(`${id}  on +message_create  https://hooks.example.com/a`),
    );
    expect(await harness.callSuccessfully(["webhook", "off", id])).toContain("turned off by the owner");
    expect(await harness.callSuccessfully(["webhook", "on", id])).toMatch(/^State +on$/m);
    const changed = ["webhook", "change", id, "--url", "https://hooks.example.com/b", "-a", "conversation_reopen"];
    expect(JSON.parse(await harness.callSuccessfully([...changed, "--json"]))).toMatchObject({
      id,
      url: "https://hooks.example.com/b",
      actions: ["conversation_reopen"],
    });
    expect(await harness.callSuccessfully(["webhook", "remove", id])).toBe(
      `Removed ${id} (https://hooks.example.com/b).\n`,
    );
    expect(await harness.callSuccessfully(["webhook", "list"])).toContain("No webhooks.");
  });

  test("keys and rotate print the public keys", async () => {
    await add("https://hooks.example.com/", "--account", "solo");
    expect(await harness.callSuccessfully(["webhook", "keys", "--account", "solo"])).toMatch(
      /signs since .*\n-----BEGIN PUBLIC KEY/,
    );
    const rotated = await harness.callSuccessfully([
      "webhook",
      "rotate",
      "--overlap",
      "2d",
      "--account",
      "solo",
      "--json",
    ]);
    expect(JSON.parse(rotated)).toMatchObject([{ state: "active" }, { state: "next" }]);
    expect(await harness.callSuccessfully(["webhook", "keys", "--account", "solo"])).toContain("signs from ");
  });

  test("renew prints a new secret and the end of the previous secret's overlap", async () => {
    const { id, secret } = await add("https://hooks.example.com/");
    const text = await harness.callSuccessfully(["webhook", "renew", id]);
    const renewed = /^Secret +(whsec_\S+)$/m.exec(text)?.[1];
    expect(renewed).not.toBe(secret);
    expect(text).toMatch(/^Overlap +the previous secret also signs until \d{4}-/m);
    expect(text).toContain("shown only once");
    const json = JSON.parse(
      await harness.callSuccessfully(["webhook", "renew", id, "--overlap", "2d", "--json"]),
    ) as object;
    expect(Object.keys(json)).toEqual(["id", "secret", "overlapUntil"]);
    expect(await harness.callSuccessfully(["webhook", "renew", id, "--overlap", "0"])).toContain(
      "Only this secret signs now.",
    );
    await harness.callSuccessfully(["webhook", "remove", id]);
  });

  test.each([
    ["a private address", ["add", "https://10.0.0.1/"], "IP is disallowed"],
    ["an unknown action", ["add", "https://a.example/", "-a", "message_delete"], "Choose from: message_create"],
    ["an unknown id", ["remove", "none"], "'npx parley webhook list' shows"],
    ["an empty change", ["change", "none"], "--url or --action"],
    ["a renewal of an unknown id", ["renew", "none"], "'npx parley webhook list' shows"],
    ["an invalid overlap", ["renew", "none", "--overlap", "1w"], "such as 24h or 2d"],
    ["an invalid overlap of keys", ["rotate", "--overlap", "soon"], "such as 24h or 2d"],
    ["an unknown account", ["list", "--account", "nobody"], "'npx parley account list' shows"],
  ])("%s is rejected in one line", async (_, args, words) => {
    expect(await harness.callFailing(["webhook", ...args])).toContain(words);
  });
});

describe("the example receiver", () => {
  let child: ChildProcess;
  let lines: AsyncIterator<string>;
  let webhook: AddedWebhook;
  let url: string;
  beforeAll(async () => {
    const port = await freePort();
    url = `http://localhost:${port}/`;
    webhook = await add(url);
    const file = join(harness.folder, "webhook.json");
    await writeFile(file, JSON.stringify(webhook));
    child = spawn(process.execPath, [join(ROOT, "docs/examples/webhook-receiver.mjs"), file], {
      env: { PATH: process.env["PATH"], PORT: String(port) },
      stdio: ["ignore", "pipe", "inherit"],
    });
    if (!child.stdout) throw new Error("it has no output");
    lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    expect((await lines.next()).value).toContain("Receiving at");
  });
  afterAll(() => void child.kill());

  test("accepts a test delivery and real events, and prints them", async () => {
    expect(await harness.callSuccessfully(["webhook", "test", webhook.id])).toMatch(
      /^Delivered: status 200 in \d+ ms\.\n$/,
    );
    expect(JSON.parse(String((await lines.next()).value))).toMatchObject({ action: "webhook_test" });
    const headers = { authorization: `Bearer ${harness.token}`, "content-type": "application/json" };
    const ask = async (path: string, body?: object) => {
      const reply = await fetch(harness.instance.service + path, {
        headers,
        ...(body && { method: "POST", body: JSON.stringify(body) }),
      });
      return (await reply.json()) as { id: string; channels: { id: string }[] };
    };
    const user = await ask("/users", { first_name: "Ana" });
    const { channels } = await ask("/channels");
    const say = { message_parts: [{ text: { content: "hi" } }], actor_type: "user", actor_id: user.id };
    await ask("/conversations", { channel_id: channels[0]?.id, users: [{ id: user.id }], messages: [say] });
    expect(JSON.parse(String((await lines.next()).value))).toMatchObject({
      action: "message_create",
      actor: { actor_type: "user", actor_id: user.id },
      data: ["message"],
    });
  });

  test("accepts events after a renewal with its current secret", async () => {
    await harness.callSuccessfully(["webhook", "renew", webhook.id]);
    expect(await harness.callSuccessfully(["webhook", "test", webhook.id])).toContain("Delivered: status 200");
    expect(JSON.parse(String((await lines.next()).value))).toMatchObject({ action: "webhook_test" });
  });

  test("rejects requests with any other signature", async () => {
    const forged = { "webhook-id": "x", "webhook-timestamp": String(Math.floor(Date.now() / 1000)) };
    const post = (headers: Record<string, string>) => fetch(url, { method: "POST", body: "{}", headers });
    expect((await post({})).status).toBe(401);
    expect((await post({ ...forged, "webhook-signature": "v1,AAAA", "x-freshchat-signature": "AAAA" })).status).toBe(
      401,
    );
  });

  test("without the key rejects a delivery, and webhook test reports it with status 1", async () => {
    const other = await add(url, "--account", "solo");
    expect(await harness.callFailing(["webhook", "test", other.id, "--account", "solo"])).toContain(
      "The delivery failed: answered 401",
    );
    const { status, stdout } = await harness.call(["webhook", "test", other.id, "--account", "solo", "--json"]);
    expect([status, JSON.parse(stdout)]).toMatchObject([1, { delivered: false, status: 401 }]);
  });

  test("receives the chosen actions, signed with both secrets, after a reset as before", async () => {
    const before = JSON.parse(await harness.callSuccessfully(["webhook", "list", "--json"])) as object[];
    await harness.callSuccessfully(["reset"]);
    expect(JSON.parse(await harness.callSuccessfully(["webhook", "list", "--json"]))).toEqual(before);
    expect(before.at(-1)).toMatchObject({ id: webhook.id, overlap_until: expect.any(String) });
    expect(await harness.callSuccessfully(["webhook", "test", webhook.id])).toContain("Delivered: status 200");
  });
});
