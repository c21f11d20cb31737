import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Template } from "@parley/contract";
import type { Page } from "playwright-core";
import { accessibilityViolations } from "../../../../packages/framework/test/front/front-fixture.ts";
import { campaignTest } from "../../../support/campaign.ts";
import { consoleAccount } from "../../support/account.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../../support/harness.ts";

/** The pages of outbound templates and messages: an approved template can be sent, and what became of its messages is listed. */

let s: ConsoleHarness;
let owner: AgentBrowser;
let page: Page;

beforeAll(async () => {
  s = await consoleHarness();
  owner = await s.visit();
  ({ page } = owner);
});
afterAll(() => s.stop());

const dialog = () => page.getByRole("dialog");
const templateTable = () => page.getByRole("table", { name: "Outbound templates" });
const openTemplates = async () => {
  await owner.open("/console/admin/outbound-templates");
  await templateTable().waitFor();
};
const fill = (name: string, text: string) => dialog().getByRole("textbox", { name, exact: true }).fill(text);
const choose = async (name: RegExp, option: string) => {
  await dialog().getByRole("button", { name }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
};
const template = async (name: string): Promise<Template | undefined> =>
  (await consoleAccount(s).document()).templates?.find((each) => each.name === name);

/** Sends a template without values in header and buttons. */
const send = (name: string, to: readonly string[], values: readonly string[] = []) =>
  s.client.outbound.sendOutboundMessage({
    params: { provider: "chatapp" },
    body: {
      from: { phone_number: "+12025550100" },
      provider: "chatapp",
      to: to.map((phone_number) => ({ phone_number })),
      data: {
        message_template: {
          template_name: name,
          namespace: "acme_shop",
          language: { policy: "deterministic", code: "en" },
          rich_template_data: { body: { params: values.map((data) => ({ data })) } },
        },
      },
    },
  });

describe("outbound templates", () => {
  test("a new template with two placeholders is in the exported document, and can be sent with two values", async () => {
    await openTemplates();
    await page.getByRole("button", { name: "New template" }).click();
    await fill("Namespace", "acme_shop");
    await fill("Name", "restocked");
    await fill("Language", "en");
    await choose(/Status/, "Approved");
    await fill("Text", "Hi {{1}}, ");
    await dialog().getByRole("button", { name: "Insert {{2}}" }).click();
    const preview = dialog().getByRole("figure");
    expect(await preview.innerText()).toContain("Hi 1, 2");
    await dialog().getByRole("button", { name: "Save" }).click();
    await page.getByText("restocked saved.").waitFor();
    expect(await template("restocked")).toEqual({
      namespace: "acme_shop",
      name: "restocked",
      language: "en",
      status: "approved",
      body: { text: "Hi {{1}}, {{2}}" },
    });
    const { request_id } = await send("restocked", ["+12025550101"], ["Ada", "lamps are back"]);
    expect(request_id).toEqual(expect.any(String));
    await expect(send("restocked", ["+12025550101"], ["Ada"])).rejects.toMatchObject({
      problem: { status: "TEMPLATE_MISMATCH" },
    });
  });

  test("a template that parley account apply writes is in the form; header, buttons and status change", async () => {
    await consoleAccount(s).apply({
      templates: [
        {
          namespace: "acme_shop",
          name: "invoice",
          language: "en",
          status: "pending",
          header: { type: "document" },
          body: { text: "Your invoice {{1}}" },
          buttons: [{ subType: "url", label: "Pay", url: "https://acme.example/pay/{{1}}" }],
        },
      ],
    });
    await openTemplates();
    await page.getByRole("button", { name: "Change invoice (en)" }).click();
    expect(await dialog().getByRole("textbox", { name: "Button 1: address" }).inputValue()).toBe(
      "https://acme.example/pay/{{1}}",
    );
    await choose(/Header/, "Text");
    await fill("Text of the header", "Invoice");
    await choose(/Status/, "Approved");
    await dialog().getByRole("button", { name: "Add a button" }).click();
    await fill("Button 2: label", "Ask");
    await fill("Button 2: address", "https://acme.example/ask");
    await dialog().getByRole("button", { name: "Save" }).click();
    await page.getByText("invoice saved.").waitFor();
    expect(await template("invoice")).toMatchObject({
      status: "approved",
      header: { type: "text", text: "Invoice" },
      buttons: [{ label: "Pay" }, { subType: "url", label: "Ask", url: "https://acme.example/ask" }],
    });
  });

  test("a template that is not approved can't be sent; a deleted one neither", async () => {
    await openTemplates();
    await page.getByRole("button", { name: "Change restocked (en)" }).click();
    await choose(/Status/, "Rejected");
    await dialog().getByRole("button", { name: "Save" }).click();
    await page.getByText("restocked saved.").waitFor();
    await expect(send("restocked", ["+12025550101"], ["Ada", "x"])).rejects.toMatchObject({
      problem: { status: "TEMPLATE_NOT_FOUND" },
    });
    await page.getByRole("button", { name: "Delete restocked (en)" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete restocked (en)" }).click();
    await page.getByText("restocked (en) deleted.").waitFor();
    expect(await template("restocked")).toBeUndefined();
  });

  test("what the service would refuse is said at its field, and changes nothing", async () => {
    const before = (await consoleAccount(s).document()).templates;
    await openTemplates();
    await page.getByRole("button", { name: "New template" }).click();
    await fill("Namespace", "acme_shop");
    await fill("Name", "invoice");
    await fill("Language", "en");
    await fill("Text", "Hi {{2}}");
    await dialog().getByRole("button", { name: "Add a button" }).click();
    await fill("Button 1: label", "See");
    await fill("Button 1: address", "acme.example");
    await dialog().getByRole("button", { name: "Save" }).click();
    await dialog().getByText("Another template has this namespace, name and language.").waitFor();
    await dialog().getByText("{{2}} does not fit").waitFor();
    await dialog().getByText("Enter an address that begins with https://.").waitFor();
    await dialog().getByRole("button", { name: "Cancel" }).click();
    expect((await consoleAccount(s).document()).templates).toEqual(before);
  });
});

describe("outbound messages", () => {
  const table = () => page.getByRole("table", { name: "Outbound messages" });
  const row = (number: string) => table().getByRole("row").filter({ hasText: number });

  test("are listed with their statuses, and with the reason of a failure; the page says who configures a provider", async () => {
    await send("welcome", ["+12025550101", "+12025550102", "+12025550104"]);
    await owner.open("/console/admin/outbound-messages");
    await page.getByText("PARLEY_OUTBOUND_URL").waitFor();
    await eventually(async () => {
      await page.getByRole("button", { name: "Read again" }).click();
      expect(await row("+12025550102").getByText("RECIPIENT_UNREACHABLE").count()).toBe(1);
      expect(await row("+12025550102").getByText("Failed", { exact: true }).count()).toBe(1);
      expect(await row("+12025550101").getByText("Delivered").count()).toBeGreaterThan(0);
      expect(await row("+12025550104").getByText("Sent", { exact: true }).count()).toBe(1);
    });
    await row("+12025550104").getByText("welcome (en)").waitFor();
  });

  test("are read in pages, each message once", async () => {
    const numbers = Array.from({ length: 60 }, (_, index) => `+120255501${String(10 + index)}`);
    await send("welcome", numbers);
    await owner.open("/console/admin/outbound-messages");
    await table().waitFor();
    expect(await table().getByRole("row").count()).toBe(51);
    // A newer message does not move the pages.
    await send("welcome", ["+12025550105"]);
    await page.getByRole("button", { name: "Show older messages" }).click();
    await page.getByText("All messages are shown.").waitFor();
    for (const number of numbers) expect([number, await row(number).count()]).toEqual([number, 1]);
    expect(await row("+12025550105").count()).toBe(0);
  });

  test("are not requested for an admin whose scope does not have all customers, who reads why", async () => {
    const account = consoleAccount(s);
    const { email } = await account.agent({ name: "Greta Group", role: "ADMIN", scope: "Group" });
    const admin = await s.visit(email);
    await admin.open("/console/admin/outbound-messages");
    await admin.page.getByText("Only agents with the scope Global see outbound messages.").waitFor();
    expect(
      admin.requests.filter((request) => request.includes("outbound-messages") && request.includes("/v2")),
    ).toEqual([]);
    await admin.close();
  });
});

campaignTest.each([
  ["wide and light", { viewport: { width: 1_440, height: 900 } }],
  ["narrow and dark", { viewport: { width: 360, height: 740 }, colorScheme: "dark" as const }],
])("pages and dialog have no violation and don't scroll sideways: %s", async (_name, options) => {
  const agent = await s.visit(undefined, options);
  await agent.open("/console/admin/outbound-messages");
  await agent.page.getByRole("table", { name: "Outbound messages" }).waitFor();
  expect(await accessibilityViolations(agent.page)).toEqual([]);
  await agent.open("/console/admin/outbound-templates");
  await agent.page.getByRole("button", { name: "Change invoice (en)" }).click();
  await agent.page.getByRole("dialog").waitFor();
  expect(await accessibilityViolations(agent.page)).toEqual([]);
  await agent.close();
});

test("the browser reported no errors", () => {
  expect(owner.errors).toEqual([]);
});
