import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import {
  mailServerFixture,
  type MailServerFixture,
} from "../../../../packages/service/test/identity/mail/mail-server-fixture.ts";
import { consoleAccount, type ConsoleAccount } from "../../support/account.ts";
import { eventually, ownConsoleHarness, type AgentBrowser, type OwnConsoleHarness } from "../../support/harness.ts";
import { replyField, threadOf, unsavedFixture } from "../../support/unsaved.ts";

/** The pages of agents: creating, inviting, finding and changing them. */

const PASSWORD = "a sentence that nobody guesses";

let s: OwnConsoleHarness;
let mail: MailServerFixture;
let account: ConsoleAccount;
let owner: AgentBrowser;
let page: Page;

beforeAll(async () => {
  mail = await mailServerFixture();
  mail.answer = (to) => (to.endsWith("@refused.example") ? 550 : undefined);
  // Invitations are sent: the instance needs the address of a mail server when it starts.
  s = await ownConsoleHarness({
    args: ["--no-install"],
    env: { PARLEY_SMTP_URL: `smtp://127.0.0.1:${mail.port}`, PARLEY_MAIL_FROM: "parley@acme.example" },
  });
  account = consoleAccount(s);
  owner = await s.visit();
  ({ page } = owner);
});
afterAll(async () => {
  await s.stop();
  await mail.close();
});

const table = () => page.getByRole("table", { name: "Agents" });
const row = (name: string) =>
  table()
    .getByRole("row")
    .filter({ has: page.getByRole("link", { name, exact: true }) });
const openList = async () => {
  await owner.open("/console/admin/agents");
  await table().waitFor();
};
const openAgent = async (id: string) => {
  await owner.open(`/console/admin/agents/${id}`);
  await page.getByRole("region", { name: "Access" }).waitFor();
};
const agentOf = async (email: string) => {
  const { agents } = await s.client.agents.listAgents({ query: { items_per_page: 100 } });
  return agents.find((agent) => agent.email === email);
};
const dialog = () => page.getByRole("dialog");
const choose = async (label: RegExp, option: string) => {
  await dialog().getByRole("button", { name: label }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
};
/** Fills the form of a new agent and sends it. */
const create = async (email: string, firstName: string, more: () => Promise<void> = async () => undefined) => {
  await page.getByRole("button", { name: "New agent" }).click();
  await dialog().getByRole("textbox", { name: "E-mail address" }).fill(email);
  await dialog().getByRole("textbox", { name: "First name" }).fill(firstName);
  await more();
  await dialog().getByRole("button", { name: "Create and invite" }).click();
};
/** Opens an invitation in another browser and chooses a password. */
const acceptInvitation = async (link: string): Promise<Page> => {
  const context = await s.browser.newContext({ locale: "en-GB" });
  const other = await context.newPage();
  await other.goto(link);
  await other.locator("#new-password").fill(PASSWORD);
  await other.getByRole("button", { name: "Save and sign in" }).click();
  await other.waitForURL("**/console/**");
  return other;
};

describe("a new agent", () => {
  test("gets the invitation by e-mail, and signs in with it in another browser", async () => {
    await openList();
    await create("ines@mailed.example", "Ines", async () => {
      await dialog().getByRole("textbox", { name: "Last name" }).fill("Novak");
      await choose(/Role/, "Super user");
      await dialog().getByText("Billing", { exact: true }).click();
    });
    await page.getByText("The invitation was sent to ines@mailed.example.").waitFor();
    const [link = ""] = /http\S+\/sign-in\/password#\S+/.exec(mail.received.at(-1)?.text ?? "") ?? [];
    const other = await acceptInvitation(link);
    const billing = await account.group("Billing");
    expect(await agentOf("ines@mailed.example")).toMatchObject({
      ...{ first_name: "Ines", last_name: "Novak", role_id: "SUPER_USER", scope: "Global" },
      ...{ groups: [billing], login_status: true },
    });
    await openList();
    await row("Ines Novak").getByText("Signed in", { exact: true }).waitFor();
    await row("Ines Novak").getByText("Billing").waitFor();
    await other.context().close();
  });

  test("is invited by a link that is shown once where the mail is not accepted, and by another link later", async () => {
    await openList();
    await create("leo@refused.example", "Leo");
    await page.getByRole("heading", { name: "Leo is created" }).waitFor();
    const first = await dialog().getByRole("textbox", { name: "Link" }).inputValue();
    await dialog().getByRole("button", { name: "Close" }).last().click();
    await dialog().waitFor({ state: "detached" });
    expect(await page.content()).not.toContain(first);
    // The button that opened the form has the focus again.
    await eventually(async () => expect(await page.locator(":focus").innerText()).toBe("New agent"));
    await page.getByRole("link", { name: "Leo", exact: true }).click();
    await page.getByRole("button", { name: "Send an invitation" }).click();
    const second = await dialog().getByRole("textbox", { name: "Link" }).inputValue();
    expect(second).not.toBe(first);
    // The newer one makes the first one invalid.
    const context = await s.browser.newContext();
    const refused = await context.newPage();
    await refused.goto(first);
    await refused.getByText("The link is unknown, expired or was used before.").waitFor();
    await context.close();
    const other = await acceptInvitation(second);
    await other.context().close();
  });

  test.each([
    ["", "Enter the e-mail address."],
    ["leo", "Enter a complete address, such as ana@example.com."],
    ["leo@refused.example", "Another agent has this e-mail address."],
  ])("with the address %j is refused at the field with %j", async (email, problem) => {
    await openList();
    const { pagination } = await s.client.agents.listAgents({ query: { items_per_page: 1 } });
    await create(email, "Nobody");
    await dialog().getByText(problem).waitFor();
    expect(await dialog().getByRole("textbox", { name: "E-mail address" }).getAttribute("aria-invalid")).toBe("true");
    const after = await s.client.agents.listAgents({ query: { items_per_page: 1 } });
    expect(after.pagination.total_items).toBe(pagination.total_items);
  });
});

test("the list finds agents by name and address, group and state", async () => {
  const support = await account.group("Support");
  const { id } = await account.agent({ name: "Zoë Ångström", groups: [support] });
  await openList();
  const search = page.getByRole("searchbox", { name: "Find by name or e-mail address" });
  const shown = () => table().getByRole("rowheader").count();
  await search.fill("angstrom zoe");
  await eventually(async () => expect(await shown()).toBe(1));
  await row("Zoë Ångström").waitFor();
  await page.getByRole("button", { name: /Active and deactivated/ }).click();
  await page.getByRole("option", { name: "Deactivated", exact: true }).click();
  await page.getByText("No agent matches.").waitFor();
  await owner.administration.admin.changeAgentSettings({
    params: { account: "acme", agent_id: id },
    body: { is_deactivated: true },
  });
  await openList();
  await search.fill("agents.example zoë");
  await row("Zoë Ångström").getByText("Deactivated", { exact: true }).waitFor();
  await search.fill("");
  await page.getByRole("button", { name: /All groups/ }).click();
  await page.getByRole("option", { name: "Support", exact: true }).click();
  await row("Zoë Ångström").waitFor();
  expect(await row("Diego Santos").count()).toBe(0);
  await page.getByRole("button", { name: /Support/ }).click();
  await page.getByRole("option", { name: "Sales", exact: true }).click();
  await row("Diego Santos").waitFor();
  expect(await row("Zoë Ångström").count()).toBe(0);
});

describe("the page of an agent", () => {
  test("changes names, address, phone, role and groups", async () => {
    const { id } = await account.agent({ name: "Old Name", groups: [await account.group("Sales")], scope: "Me" });
    await openAgent(id);
    await page.getByRole("button", { name: "Change the profile" }).click();
    await dialog().getByRole("textbox", { name: "E-mail address" }).fill("leo@refused.example");
    await dialog().getByRole("button", { name: "Save" }).click();
    await dialog().getByText("Another agent has this e-mail address.").waitFor();
    await dialog().getByRole("textbox", { name: "E-mail address" }).fill("new.name@agents.example");
    await dialog().getByRole("textbox", { name: "First name" }).fill("New");
    await dialog().getByRole("textbox", { name: "Phone" }).fill("+49 30 1234");
    await choose(/Role/, "Shift lead");
    await dialog().getByText("Sales", { exact: true }).click();
    await dialog().getByText("Returns", { exact: true }).click();
    await dialog().getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "New", exact: true }).waitFor();
    expect(await s.client.agents.getAgent({ params: { agent_id: id } })).toMatchObject({
      ...{ email: "new.name@agents.example", first_name: "New", phone: "+49 30 1234", role_name: "Shift lead" },
      ...{ groups: [await account.group("Returns")], scope: "Group" },
    });
  });

  test("a change of the phone alone leaves the scope and everything else as it is", async () => {
    const { id } = await account.agent({ name: "Phone Only", scope: "Me" });
    await openAgent(id);
    await page.getByRole("button", { name: "Change the profile" }).click();
    await dialog().getByRole("textbox", { name: "Phone" }).fill("030");
    await dialog().getByRole("button", { name: "Save" }).click();
    await page.getByText("Phone Only saved.").waitFor();
    const { phone, scope, role_id } = await s.client.agents.getAgent({ params: { agent_id: id } });
    expect({ phone, scope, role_id }).toEqual({ phone: "030", scope: "Me", role_id: "AGENT" });
  });

  test("changes the scope, and with it what the agent sees", async () => {
    const { id, email } = await account.agent({ name: "Scope Ann", scope: "Global" });
    const conversation = await s.beginConversation("Uma Unassigned", "Hello?");
    const agent = await s.visit(email);
    const read = () => agent.session.conversations.getConversation({ params: { conversation_id: conversation.id } });
    expect((await read()).conversation_id).toBe(conversation.id);
    await openAgent(id);
    await page.getByRole("button", { name: "Change scope and capacity" }).click();
    await choose(/Scope/, "Own only");
    await dialog().getByRole("button", { name: "Save" }).click();
    await page.getByRole("definition").filter({ hasText: "Own only" }).waitFor();
    await eventually(() => expect(read()).rejects.toMatchObject({ problem: { status: "CONVERSATION_NOT_FOUND" } }));
    await agent.close();
  });

  test("a capacity that is not a number is reported at its field and changes nothing", async () => {
    const { id } = await account.agent({ name: "Capacity Cay" });
    await openAgent(id);
    await page.getByRole("button", { name: "Change scope and capacity" }).click();
    for (const text of ["", "many", "-1", "2.5", "10001"]) {
      await dialog().getByRole("textbox", { name: "Capacity" }).fill(text);
      await dialog().getByRole("button", { name: "Save" }).click();
      await dialog().getByText("Enter a whole number from 0 to 10,000.").waitFor();
    }
    expect((await s.client.agents.getAgent({ params: { agent_id: id } })).agent_capacity).toBe(5);
  });
});

test("the browser reported no errors but the refused requests", () => {
  expect(owner.errors.filter((error) => !error.includes("409"))).toEqual([]);
});

test("a restart of the service loses nothing of what an agent sends and types meanwhile", async () => {
  const service = unsavedFixture(s);
  const { id } = await service.openNew("Rosa Restart", owner);
  const isSending = page.waitForRequest((request) => request.method() === "POST" && /\/messages$/.test(request.url()));
  await replyField(page).fill("Sent while it stops");
  await replyField(page).press("Control+Enter");
  await isSending;
  const halted = s.halt();
  await replyField(page).fill("Typed while it stops");
  const start = await halted;
  const lost = page.getByText("No connection.");
  await lost.waitFor();
  await replyField(page).fill("Typed while it was stopped");
  await start();
  await lost.waitFor({ state: "detached", timeout: 60_000 });
  const again = threadOf(page).getByRole("button", { name: "Send again" });
  await eventually(async () => {
    // The time for attempts may be over before the service is back.
    if (await again.isVisible()) await again.click();
    expect(await service.repliesIn(id)).toEqual(["Sent while it stops"]);
  });
  await threadOf(page).getByText("Sending…").waitFor({ state: "detached" });
  expect(await threadOf(page).getByText("Sent while it stops", { exact: true }).count()).toBe(1);
  expect(await replyField(page).inputValue()).toBe("Typed while it was stopped");
  await service.isDraft(id, "Typed while it was stopped", "olivia@acme.example");
});
