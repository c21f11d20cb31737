import { expect, test } from "@jest/globals";
import { intercept, interceptorRefusal } from "../../src/composer/interceptors.ts";

const intent = { conversationId: "c1" };

test("an action is refused with the first reason, and allowed after the interceptor ended", async () => {
  const ends = [
    intercept("resolve", async () => undefined),
    intercept("resolve", async ({ conversationId }) => `not ${conversationId}`),
    intercept("resolve", async () => "another reason"),
  ];
  expect(await interceptorRefusal("resolve", intent)).toBe("not c1");
  for (const end of ends) end();
  expect(await interceptorRefusal("resolve", intent)).toBeUndefined();
});

test("an interceptor that fails allows the action", async () => {
  const end = intercept("resolve", () => Promise.reject(new Error("broken")));
  expect(await interceptorRefusal("resolve", intent)).toBeUndefined();
  end();
});

test("interceptors of another action are not asked", async () => {
  const end = intercept("send", async () => "no");
  expect(await interceptorRefusal("resolve", intent)).toBeUndefined();
  end();
});
