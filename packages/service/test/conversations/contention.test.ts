import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { scene, type Scene, text } from "./scene.ts";

/** One conversation that many change at a time. */

let s: Scene;
beforeAll(async () => {
  s = await scene();
});
afterAll(() => s.close());

test("messages are taken, however often others turn the conversation round meanwhile", async () => {
  const { conversation_id: id, user_id } = await s.begin();
  let isOver = false;
  let turned = 0;
  const turning = Array.from({ length: 24 }, async (_, index) => {
    for (let turn = index; !isOver; turn++)
      await s.put(id, { status: turn % 2 ? "resolved" : "new" }).then(
        () => (turned += 1),
        () => undefined,
      );
  });
  const contents = Array.from({ length: 200 }, (_, index) => `${index}`);
  try {
    await Promise.all(
      contents.map((content) => s.say(id, { actor_type: "user", actor_id: user_id, message_parts: text(content) })),
    );
  } finally {
    isOver = true;
    await Promise.all(turning);
  }
  const said = (await s.said(id)).flatMap(({ message_parts }) => message_parts[0]?.text?.content ?? []);
  expect(said.filter((content) => contents.includes(content)).sort()).toEqual([...contents].sort());
  expect(turned).toBeGreaterThan(0);
});
