import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Page } from "playwright-core";
import { consoleAccount, type ConsoleAccount } from "../../support/account.ts";
import { adminPageFaults } from "../../support/admin-faults.ts";
import { consoleHarness, eventually, type AgentBrowser, type ConsoleHarness } from "../../support/harness.ts";

/** The page of roles and statuses: its settings apply to agents and requests. */

let s: ConsoleHarness;
let account: ConsoleAccount;
let owner: AgentBrowser;
let page: Page;

beforeAll(async () => {
  s = await consoleHarness();
  account = consoleAccount(s);
  owner = await s.visit();
  ({ page } = owner);
});
afterAll(() => s.stop());

const table = (name: string) => page.getByRole("table", { name, exact: true });
const row = (of: string, name: RegExp) =>
  table(of)
    .getByRole("row")
    .filter({ has: page.getByRole("rowheader", { name }) });
const openPage = async () => {
  await owner.open("/console/admin/roles");
  await table("Statuses").waitFor();
  await table("Roles").waitFor();
};
const dialog = () => page.getByRole("dialog");
const save = async () => {
  await dialog().getByRole("button", { name: "Save" }).click();
  await dialog().waitFor({ state: "detached" });
};
const chooseAvailability = async (option: string) => {
  await dialog()
    .getByRole("button", { name: /Availability/ })
    .click();
  await page.getByRole("option", { name: option, exact: true }).click();
};
const createStatus = async (name: string, availability: string) => {
  await page.getByRole("button", { name: "New status" }).click();
  await dialog().getByRole("textbox", { name: "Name" }).fill(name);
  await chooseAvailability(availability);
  await save();
  await row("Statuses", new RegExp(`^${name}`)).waitFor();
};
const giveStatus = (agent_id: string, name: string) =>
  s.client.agents.updateAgentStatus({ params: { agent_id }, body: { agent_status: { name } } });

describe("a status", () => {
  test("that is created is accepted by PATCH /agents, with its availability; renamed, the old name is refused", async () => {
    const { id } = await account.agent({ name: "Tess Training" });
    await expect(giveStatus(id, "In training")).rejects.toMatchObject({
      problem: { status: "AGENT_STATUS_NOT_FOUND" },
    });
    await openPage();
    await createStatus("In training", "Not available");
    expect((await giveStatus(id, "In training")).availability_status).toBe("UNAVAILABLE");
    await page.getByRole("button", { name: "Change In training" }).click();
    await dialog().getByRole("textbox", { name: "Name" }).fill("Back office");
    await chooseAvailability("Available");
    await save();
    // The agent who has it follows.
    const { agent_status, availability_status } = await s.client.agents.getAgent({ params: { agent_id: id } });
    expect([agent_status?.name, availability_status]).toEqual(["Back office", "AVAILABLE"]);
    await eventually(() =>
      expect(giveStatus(id, "In training")).rejects.toMatchObject({ problem: { status: "AGENT_STATUS_NOT_FOUND" } }),
    );
  });

  test("that an agent has is not deleted, and the page says so; without agents it is", async () => {
    const { id } = await account.agent({ name: "Quin Quiet" });
    await openPage();
    await createStatus("Quiet hour", "Not available");
    await giveStatus(id, "Quiet hour");
    const remove = () => page.getByRole("button", { name: "Delete Quiet hour" });
    await remove().click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete Quiet hour" }).click();
    await page.getByRole("alertdialog").getByText("can’t be deleted, as an agent has it.").waitFor();
    await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
    await giveStatus(id, "Away");
    await remove().click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete Quiet hour" }).click();
    await page.getByText("Quiet hour deleted.").waitFor();
    const { states } = await s.client.agents.listAgentStatuses();
    expect(states.map(({ name }) => name)).not.toContain("Quiet hour");
  });

  test("is refused at its field without a name, and with the name of another role", async () => {
    await openPage();
    await page.getByRole("button", { name: "New status" }).click();
    await dialog().getByRole("button", { name: "Save" }).click();
    await dialog().getByText("Give the status a name.").waitFor();
    await dialog().getByRole("textbox", { name: "Name" }).fill("at lunch ");
    await dialog().getByRole("button", { name: "Save" }).click();
    await dialog().getByText("Another status has this name.").waitFor();
    await dialog().getByRole("button", { name: "Cancel" }).click();
    const { states } = await s.client.agents.listAgentStatuses();
    expect(states.filter(({ name }) => name.toLowerCase().startsWith("at lunch"))).toHaveLength(1);
  });

  test("that alone makes agents available stays so", async () => {
    await openPage();
    const available = page
      .getByRole("table", { name: "Statuses" })
      .getByRole("cell", { name: "Available", exact: true });
    // Other tests have added some.
    for (let count = await available.count(); count > 1; count -= 1) {
      const name = await table("Statuses")
        .getByRole("row")
        .filter({ has: page.getByRole("cell", { name: "Available", exact: true }) })
        .filter({ hasNot: page.getByRole("rowheader", { name: "Available", exact: true }) })
        .first()
        .getByRole("rowheader")
        .innerText();
      await page.getByRole("button", { name: `Change ${name}` }).click();
      await chooseAvailability("Not available");
      await save();
      await eventually(async () => expect(await available.count()).toBe(count - 1));
    }
    await page.getByRole("button", { name: "Change Available" }).click();
    await chooseAvailability("Not available");
    await dialog().getByRole("button", { name: "Save" }).click();
    await dialog().getByText("One status at least must make agents available.").waitFor();
    await dialog().getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Delete Available" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete Available" }).click();
    await page.getByRole("alertdialog").getByText("One status at least must make agents available.").waitFor();
    await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
  });
});

describe("a role", () => {
  test("that is created can be given; its new name is the agent's; it is deleted when no agent has it", async () => {
    await openPage();
    await page.getByRole("button", { name: "New role" }).click();
    await dialog().getByRole("textbox", { name: "Name" }).fill("Night shift");
    await dialog().getByRole("textbox", { name: "Description" }).fill("Works at night.");
    await save();
    await row("Roles", /^Night shift/)
      .getByText("Works at night.")
      .waitFor();
    const email = "nick@agents.example";
    const { id } = await s.client.agents.createAgent({ body: { email, role_name: "Night shift" } });
    await page.getByRole("button", { name: "Change Night shift" }).click();
    await dialog().getByRole("textbox", { name: "Name" }).fill("Night team");
    await save();
    expect((await s.client.agents.getAgent({ params: { agent_id: id } })).role_name).toBe("Night team");
    const remove = async () => {
      await page.getByRole("button", { name: "Delete Night team" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Delete Night team" }).click();
    };
    await remove();
    await page
      .getByRole("alertdialog")
      .getByText("The role Night team can’t be deleted, as an agent has it.")
      .waitFor();
    await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
    await s.client.agents.updateAgent({ params: { agent_id: id }, body: { role_id: "AGENT" } });
    await remove();
    await page.getByText("Night team deleted.").waitFor();
    const { roles } = await s.client.roles.listRoles({ query: { items_per_page: 100 } });
    expect(roles.map(({ name }) => name)).not.toContain("Night team");
  });

  test("with the name of a built-in one is refused at its field", async () => {
    await openPage();
    await page.getByRole("button", { name: "New role" }).click();
    await dialog().getByRole("textbox", { name: "Name" }).fill("account ADMIN");
    await dialog().getByRole("button", { name: "Save" }).click();
    await dialog().getByText("Another role has this name.").waitFor();
    await dialog().getByRole("button", { name: "Cancel" }).click();
  });

  test("that is built in says what it may, and is neither changed nor deleted", async () => {
    await openPage();
    await row("Roles", /^Account admin/)
      .getByText("Generate and revoke API tokens")
      .waitFor();
    await row("Roles", /^Super user/)
      .getByText("Read metrics and reports")
      .waitFor();
    expect(
      await row("Roles", /^Admin/)
        .getByText("API tokens")
        .count(),
    ).toBe(1);
    expect(
      await page.getByRole("button", { name: /(Change|Delete) (Account admin|Admin|Super user|Agent)$/ }).count(),
    ).toBe(0);
  });
});

test("the capacity that is set on the page of an agent is how many conversations a group by load assigns", async () => {
  const routing = { routing_type: "INTELLIASSIGN", routing_logic: "LOAD", signed_in_agents_only: false } as const;
  await account.apply({ automatic_assignment: true, groups: [{ name: "By load", ...routing }] });
  const group = await account.group("By load");
  const { id } = await account.agent({ name: "Carl Capacity", groups: [group] });
  const setCapacity = async (capacity: string) => {
    await owner.open(`/console/admin/agents/${id}`);
    await page.getByRole("button", { name: "Change scope and capacity" }).click();
    await dialog().getByRole("textbox", { name: "Capacity" }).fill(capacity);
    await save();
  };
  await setCapacity("1");
  const conversations = [await s.beginConversation("First Fred", "1"), await s.beginConversation("Second Sue", "2")];
  for (const each of conversations) await account.change(each.id, { assigned_group_id: group });
  const agents = () =>
    Promise.all(
      conversations.map(async (each) => {
        const params = { conversation_id: each.id };
        return (await s.client.conversations.getConversation({ params })).assigned_agent_id || undefined;
      }),
    );
  await eventually(async () => expect(await agents()).toEqual([id, undefined]));
  await setCapacity("2");
  await eventually(async () => expect(await agents()).toEqual([id, id]));
});

test.each([
  ["wide", { viewport: { width: 1_440, height: 900 } }],
  ["narrow and dark", { viewport: { width: 360, height: 740 }, colorScheme: "dark" }],
] as const)(
  "the page has no accessibility violation %s, and only its content scrolls, downwards",
  async (_name, form) => {
    const viewer = await s.visit(undefined, form);
    await viewer.open("/console/admin/roles");
    await viewer.page.getByRole("table", { name: "Statuses" }).waitFor();
    await viewer.page.getByRole("table", { name: "Roles" }).waitFor();
    expect(await adminPageFaults(viewer.page)).toEqual([]);
    expect(viewer.errors).toEqual([]);
    await viewer.close();
  },
);
