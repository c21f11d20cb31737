import { afterAll, expect, test } from "@jest/globals";
import { startServe, type ServeHarness } from "./serve-harness.ts";

/** `parley serve --host` with the address of a network in place of the usual loopback address. */
let serve: ServeHarness | undefined;
afterAll(async () => {
  await serve?.stop();
});

test("apps run, and reach the service, where it listens at another address of the machine", async () => {
  serve = await startServe(["--host", "127.0.0.2"]);
  expect(serve.announced).toMatchObject({
    service: expect.stringMatching(/^http:\/\/127\.0\.0\.2:/),
    platform: expect.stringMatching(/^http:\/\/127\.0\.0\.2:/),
  });
  await serve.publish();
  await serve.install("acme");
  const conversation = await serve.write("acme", "Hello");
  expect(await serve.untilReplies("acme", conversation, 1)).toHaveLength(1);
}, 120_000);
