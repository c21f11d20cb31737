import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { commandHarness, type CommandHarness } from "./command-harness.ts";

/** Output of `parley chat` when nobody answers. */

jest.setTimeout(60_000);

let t: CommandHarness;
beforeAll(async () => {
  t = await commandHarness();
}, 60_000);
afterAll(() => t.close());

const REASON = () =>
  `parley: nobody answered within 1 s. No app is installed. Install concierge on ${t.running.installPage}, then write again.\n`;

test("parley chat --once without an installed app prints the URL of the installation page and exits with status 1", async () => {
  const { status, stdout, stderr } = await t.run(["chat", "--once", "Hi", "--wait", "1"]);
  expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: "", stderr: REASON() });
});

test("parley chat without an installed app prints the same message once between the typed lines and exits with status 1", async () => {
  const { status, stdout, stderr } = await t.run(["chat", "--wait", "1"], "Hi\nIs anybody there?\n");
  expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: "", stderr: REASON() });
});

test("parley chat --url says that it can't know the installation page of that service", async () => {
  const args = ["chat", "--once", "Hi", "--wait", "1", "--url", t.running.service, "--token", t.running.token];
  const { status, stderr } = await t.run(args);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringMatching(/^parley: nobody answered within 1 s\. Is an app installed there [^\n]+\n$/),
  });
});

test("parley chat without input exits with status 0", async () => {
  expect(await t.run(["chat"], "")).toEqual({ status: 0, stdout: "", stderr: "" });
});

test("parley chat --help explains the exit status", async () => {
  expect(await t.callSuccessfully(["chat", "--help"])).toContain(
    "The status is 1 when something was sent and nobody answered",
  );
});
