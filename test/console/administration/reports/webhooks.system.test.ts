import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { verifyWebhook } from "@parley/egress";
import {
  startFakeWebhookReceiver,
  type FakeWebhookReceiver,
  type ReceivedWebhook,
} from "../../../../packages/service/test/events/webhooks/fake-webhook-receiver.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../../support/harness.ts";

/** The page of webhooks: events reach a real receiver, which verifies them with the secret of the page. */

let s: ConsoleHarness;
let owner: AgentBrowser;
let page: Page;
const receivers: FakeWebhookReceiver[] = [];

beforeAll(async () => {
  s = await consoleHarness();
  owner = await s.visit();
  ({ page } = owner);
}, 180_000);
afterAll(async () => {
  await s.stop();
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

const receiverOf = async (): Promise<FakeWebhookReceiver> => {
  const receiver = await startFakeWebhookReceiver();
  receivers.push(receiver);
  return receiver;
};
const row = (url: string) => page.getByRole("row").filter({ has: page.getByRole("link", { name: url, exact: true }) });
const dialog = () => page.getByRole("dialog");
const choose = async (url: string, action: string) => {
  await page.getByRole("button", { name: `Actions for ${url}` }).click();
  await page.getByRole("menuitem", { name: action, exact: true }).click();
};
const closeDialog = async () => {
  await dialog().getByRole("button", { name: "Close" }).last().click();
  await dialog().waitFor({ state: "detached" });
};
const shownSecret = () => dialog().getByRole("textbox", { name: "Secret" }).inputValue();

/** Creates a webhook for new messages. -> its secret */
const create = async (url: string): Promise<string> => {
  await owner.open("/console/admin/webhooks");
  await page.getByRole("button", { name: "New webhook" }).click();
  await dialog().getByRole("textbox", { name: "Address" }).fill(url);
  for (const event of ["Conversation assigned", "Conversation resolved", "Conversation reopened"])
    await dialog().getByText(event, { exact: true }).click();
  await dialog().getByRole("button", { name: "New webhook" }).click();
  await page.getByRole("heading", { name: "The webhook is created" }).waitFor();
  const secret = await shownSecret();
  await closeDialog();
  await row(url).waitFor();
  return secret;
};
const isSigned = ({ bytes, headers }: ReceivedWebhook, secret: string): boolean =>
  verifyWebhook({ headers, body: bytes.toString(), secret, nowSeconds: Math.floor(Date.now() / 1_000) });
const last = ({ received }: FakeWebhookReceiver): ReceivedWebhook => received.at(-1) as ReceivedWebhook;
const textsOf = ({ received }: FakeWebhookReceiver): (string | undefined)[] =>
  received.map(({ bytes }) => /"content":"([^"]+)"/.exec(bytes.toString())?.[1]);
const say = (text: string) => s.beginConversation("Ines", text);

describe("a webhook of the page", () => {
  let receiver: FakeWebhookReceiver;
  let secret: string;
  beforeAll(async () => {
    receiver = await receiverOf();
    secret = await create(receiver.url);
  });

  test("receives the events that were chosen, signed with the secret that was shown once", async () => {
    await say("the first one");
    await receiver.until(1);
    expect(secret).toMatch(/^whsec_/);
    expect(textsOf(receiver)).toEqual(["the first one"]);
    expect(isSigned(last(receiver), secret)).toBe(true);
    await eventually(async () => {
      await owner.open("/console/admin/webhooks");
      await row(receiver.url).getByText("1 of 1 delivered").waitFor({ timeout: 2_000 });
    });
    expect(await page.content()).not.toContain(secret);
    await row(receiver.url).getByText("New message").waitFor();
  });

  test("shows what the receiver answers to a test delivery", async () => {
    await choose(receiver.url, "Send a test");
    await dialog()
      .getByText(/^Delivered\. The receiver answered 204 after /)
      .waitFor();
    expect(last(receiver).event.action).toBe("webhook_test");
    expect(isSigned(last(receiver), secret)).toBe(true);
    receiver.replyWith(() => 418);
    await dialog().getByRole("button", { name: "Send again" }).click();
    await dialog()
      .getByText(/^Not delivered\. The receiver answered 418 after /)
      .waitFor();
    receiver.replyWith(() => 204);
    await closeDialog();
  });

  test("keeps its events while it is off, and sends them when it is on again", async () => {
    const before = receiver.received.length;
    await choose(receiver.url, "Turn off");
    await row(receiver.url).getByText("Off", { exact: true }).waitFor();
    await row(receiver.url)
      .getByText(/^Since /)
      .waitFor();
    const control = await receiverOf();
    await create(control.url);
    await say("while it is off");
    await control.until(1);
    expect(receiver.received).toHaveLength(before);
    await choose(receiver.url, "Turn on");
    await receiver.until(before + 1);
    expect(textsOf(receiver).at(-1)).toBe("while it is off");
  });

  test("signs with both secrets for the chosen time after a renewal, and with the new one alone without it", async () => {
    await choose(receiver.url, "Renew the secret");
    await dialog().getByRole("button", { name: "Renew the secret" }).click();
    await dialog()
      .getByText(/^Until .* the previous secret is valid too\.$/)
      .waitFor();
    const renewed = await shownSecret();
    await closeDialog();
    await row(receiver.url)
      .getByText(/^Previous secret valid until /)
      .waitFor();
    await choose(receiver.url, "Send a test");
    await dialog()
      .getByText(/^Delivered/)
      .waitFor();
    await closeDialog();
    expect([isSigned(last(receiver), secret), isSigned(last(receiver), renewed)]).toEqual([true, true]);

    await choose(receiver.url, "Renew the secret");
    await dialog()
      .getByRole("button", { name: /The previous secret stays valid for/ })
      .click();
    await page.getByRole("option", { name: "not any longer" }).click();
    await dialog().getByRole("button", { name: "Renew the secret" }).click();
    await dialog().getByText("Previous secrets are not valid any more.").waitFor();
    const only = await shownSecret();
    await closeDialog();
    const count = receiver.received.length;
    await say("after the renewal");
    await receiver.until(count + 1);
    const signed = [secret, renewed, only].map((each) => isSigned(last(receiver), each));
    expect(signed).toEqual([false, false, true]);
  });

  test("sends to its new address after a change", async () => {
    const next = await receiverOf();
    await choose(receiver.url, "Change");
    const address = dialog().getByRole("textbox", { name: "Address" });
    expect(await address.inputValue()).toBe(receiver.url);
    await address.fill(next.url);
    await dialog().getByRole("button", { name: "Save" }).click();
    await row(next.url).waitFor();
    const count = receiver.received.length;
    await say("to the new address");
    await next.until(1);
    expect([textsOf(next), receiver.received.length]).toEqual([["to the new address"], count]);
  });
});

test("a removed webhook receives nothing more", async () => {
  const [removed, control] = [await receiverOf(), await receiverOf()];
  await create(removed.url);
  await create(control.url);
  await choose(removed.url, "Remove");
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await row(removed.url).waitFor({ state: "detached" });
  await say("after the removal");
  await control.until(1);
  expect(removed.received).toEqual([]);
});

const REFUSED: readonly (readonly [url: string, text: RegExp])[] = [
  ["hooks.example.com", /^Enter an address that begins with https:/],
  ["https://10.0.0.1/hook", /private/],
];
test.each(REFUSED)("the address %s is refused at its field, and nothing is created", async (url, text) => {
  const list = async () => (await owner.administration.admin.listWebhooks({ params: { account: "acme" } })).webhooks;
  const before = await list();
  await owner.open("/console/admin/webhooks");
  await page.getByRole("button", { name: "New webhook" }).click();
  await dialog().getByRole("textbox", { name: "Address" }).fill(url);
  await dialog().getByRole("button", { name: "New webhook" }).click();
  const field = dialog().getByRole("textbox", { name: "Address" });
  await eventually(async () => expect(await field.getAttribute("aria-invalid")).toBe("true"));
  await dialog().getByText(text).first().waitFor();
  await dialog().getByRole("button", { name: "Cancel" }).click();
  expect(await list()).toEqual(before);
});

test("a new signing key is listed and signs later", async () => {
  await owner.open("/console/admin/webhooks");
  const keys = page.getByRole("table", { name: "Signing keys" });
  await keys.getByText("Signs now").waitFor();
  await page.getByRole("button", { name: "New key" }).click();
  await dialog().getByRole("button", { name: "New key", exact: true }).click();
  await keys.getByText("Signs later").waitFor();
  const listed = (await owner.administration.admin.listWebhookKeys({ params: { account: "acme" } })).keys;
  expect(listed.map(({ state }) => state)).toEqual(["active", "next"]);
});

test("the browser reported no errors, except for the refused addresses", () => {
  expect(owner.errors.filter((error) => !error.includes("status of 400"))).toEqual([]);
});
