import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { world, type World } from "../world.ts";
import { GREETING, listed, NUMBERS, put, request, send, settled } from "./scene.ts";

let w: World;
beforeAll(async () => {
  w = await world();
  await put(w, GREETING);
});
afterAll(() => w.close());

describe("POST /outbound-messages/{provider}", () => {
  test("POST /outbound-messages/{provider} 202: names the request, how long it took and where its messages are", async () => {
    const answer = await send(w, request());
    expect(answer).toEqual({
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      request_process_time: expect.stringMatching(/^\d+\.\d{3}$/),
      link: { rel: "outbound_message", href: `/v2/outbound-messages?request_id=${answer.request_id}` },
    });
    const found = await w.raw("GET", answer.link.href);
    expect(((await found.json()) as { outbound_messages: unknown[] }).outbound_messages).toHaveLength(1);
    const [message] = await settled(w, answer.request_id, "Delivered");
    expect(message).toMatchObject({ to: { phone_number: NUMBERS.delivered }, provider: "chatapp" });
    expect(await listed(w, answer.request_id)).toHaveLength(1);
  });
});
