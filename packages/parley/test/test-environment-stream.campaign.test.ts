import { describe, expect, jest, test } from "@jest/globals";
import type { StreamItem } from "@parley/client";
import { main } from "@parley/parley";
import { WELCOME_MESSAGE } from "../../../test/support/outbound-message-fixture.ts";
import { localServiceHarness } from "./local-service-harness.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

/** The event stream of a local instance: injected faults, resets, and `parley tail`. */

const harness = fileFixture(localServiceHarness);

test("a reset ends event streams; their readers reconnect, receive the reset event and continue", async () => {
  const received: string[] = [];
  const stop = new AbortController();
  let notify: (() => void) | undefined;
  const until = async (event: string) => {
    while (!received.includes(event)) await new Promise<void>((resolve) => (notify = resolve));
    received.length = 0;
  };
  const { place: eventId } = await firstEventId();
  const reading = (async () => {
    for await (const { event } of harness.client.stream.events({ lastEventId: eventId, signal: stop.signal })) {
      received.push(event);
      notify?.();
    }
  })();
  await harness.createConversation("before");
  await until("message_create");
  const { milliseconds } = await harness.requestSuccessfully<{ milliseconds: number }>("POST", "/reset");
  // Pending requests have three seconds to finish. A stream needs no part of them.
  expect(milliseconds).toBeLessThan(3_000);
  await until("reset");
  await harness.createConversation("after");
  await until("message_create");
  stop.abort();
  await reading;
});

/** Returns the id of the first event of a new stream. */
const firstEventId = async () => {
  const abort = new AbortController();
  const reply = await fetch(`${harness.origin}/v2/stream`, {
    headers: { authorization: `Bearer ${harness.token}` },
    signal: abort.signal,
  });
  const reader = reply.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  abort.abort();
  return { place: /^id: (.*)$/m.exec(new TextDecoder().decode(value))?.[1] ?? "" };
};

describe("parley tail", () => {
  const call = async (...args: readonly string[]) => {
    const output = { stdout: "", stderr: "" };
    const spies = (["stdout", "stderr"] as const).map((name) =>
      jest.spyOn(process[name], "write").mockImplementation((chunk) => {
        output[name] += String(chunk);
        return true;
      }),
    );
    try {
      const status = await main(["tail", "--url", `${harness.origin}/v2`, "--token", harness.token, ...args]);
      return { status, ...output };
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  };

  test("prints events as text and as JSON, from an event id on", async () => {
    const { place: eventId } = await firstEventId();
    const id = await harness.createConversation("Where is my parcel?\n\u001b[31mred");
    const { status, stdout, stderr } = await call("--since", eventId, "--limit", "3", "--json");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const items = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as StreamItem);
    expect(items.map(({ event }) => event)).toEqual(["user_create", "conversation_create", "message_create"]);
    const text = await call("--since", items[1]?.id ?? "", "--limit", "1", "--conversation", id);
    expect(text.status).toBe(0);
    expect(text.stdout).toContain("message_create");
    expect(text.stdout).toContain(`conversation ${id}`);
    expect(text.stdout).toContain("Sam: Where is my parcel? [31mred");
    expect(text.stdout.split("\n").every((line) => line.length <= 100)).toBe(true);
  });

  test("prints the status of an outbound message", async () => {
    const { place: eventId } = await firstEventId();
    const to = [{ phone_number: "+12025550102" }];
    const { request_id } = await harness.client.outbound.sendOutboundMessage({
      ...WELCOME_MESSAGE,
      body: { ...WELCOME_MESSAGE.body, to },
    });
    const outbound = ["--types", "outbound_message_update", "--since", eventId, "--limit", "2"];
    const { status, stdout } = await call(...outbound);
    expect(status).toBe(0);
    expect(stdout).toMatch(/ to \+12025550102\n/);
    expect(stdout).toContain(`request ${request_id}`);
    expect(stdout).toContain('status: "Accepted" → "Sent"');
    expect(stdout).toContain('status: "Sent" → "Failed"');
    expect(stdout).toContain("RECIPIENT_UNREACHABLE: The recipient does not use the chat app.");
    expect(stdout.split("\n").every((line) => line.length <= 100)).toBe(true);
  });

  test.each([
    ["an unknown kind", ["--types", "message_gone"], "The service refused: INVALID_VALUE: types must be some of"],
    ["an unknown id", ["--since", "7"], "The service refused: INVALID_VALUE: Last-Event-ID must be"],
    ["an unreachable service", ["--url", "http://127.0.0.1:1/v2"], "The service can't be reached."],
  ])("with %s is rejected in one line", async (_, args, words) => {
    const { status, stdout, stderr } = await call(...args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^parley: [^\n]+\n$/);
    expect(stderr).toContain(words);
  });
});
