import { expect, test } from "@jest/globals";
import { instanceHarness } from "./command-harness.ts";
import { fileFixture } from "../../../test/support/file-fixture.ts";

/** Output of `parley chat` when nobody answers. */

const harness = fileFixture(instanceHarness);

const REASON = () =>
  `parley: no reply within 1 s. No app is installed. Install concierge on ${harness.running.installPage}, then write again.\n`;

test("parley chat --once without an installed app prints the URL of the installation page and exits with status 1", async () => {
  const { status, stdout, stderr } = await harness.run(["chat", "--once", "Hi", "--wait", "1"]);
  expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: "", stderr: REASON() });
});

test("parley chat without an installed app prints the same message once between the typed lines and exits with status 1", async () => {
  const { status, stdout, stderr } = await harness.run(["chat", "--wait", "1"], "Hi\nIs anybody there?\n");
  expect({ status, stdout, stderr }).toEqual({ status: 1, stdout: "", stderr: REASON() });
});

test("parley chat --url says that it can't know the installation page of that service", async () => {
  const args = [
    "chat",
    "--once",
    "Hi",
    "--wait",
    "1",
    "--url",
    harness.running.service,
    "--token",
    harness.running.token,
  ];
  const { status, stderr } = await harness.run(args);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringMatching(/^parley: no reply within 1 s\. Check on that instance [^\n]+\n$/),
  });
});

test("parley chat without input exits with status 0", async () => {
  expect(await harness.run(["chat"], "")).toEqual({ status: 0, stdout: "", stderr: "" });
});

test("parley chat --help explains the exit status", async () => {
  expect(await harness.callSuccessfully(["chat", "--help"])).toContain(
    "Exit status 1 when a message was sent and no reply came",
  );
});
