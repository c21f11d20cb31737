import { describe, expect, test } from "@jest/globals";
import type { Channel, Conversation, User } from "@parley/contract";
import type { AccountClient } from "../../../server/lib/account-client.ts";
import { lastConversationOf } from "../../../server/lib/returning-customer.ts";
import { offeredMessages } from "../../../server/panel.ts";
import { settingsOf } from "../../../server/lib/settings.ts";

/** Requests to the account for a known customer, and template messages for agents. Tests named "-live" use real responses. */

const NOW = new Date("2027-03-02T09:00:00Z");
const SUPPORT = { id: "ch-1", name: "Support" };

describe("the previous conversation of a customer", () => {
  const fakeAccount = (ids: readonly string[], last?: Partial<Conversation>) => {
    const requests: string[] = [];
    const account = {
      conversationsOf: (user: string) => Promise.resolve((requests.push(`of ${user}`), ids)),
      conversation: (id: string) => {
        requests.push(id);
        return Promise.resolve(last ? { ok: true, body: last } : { ok: false, status: "CONVERSATION_NOT_FOUND" });
      },
      channels: () =>
        Promise.resolve((requests.push("channels"), [SUPPORT, { id: "ch-2", name: "Sales" }] as Channel[])),
    } as unknown as AccountClient;
    return { account, requests };
  };

  test.each([
    [
      "in the same topic",
      { channel_id: "ch-1", assigned_group_id: "g-1" },
      { topic: "Support", group_id: "g-1" },
      false,
    ],
    ["in another topic", { channel_id: "ch-2", assigned_group_id: "g-1" }, { topic: "Sales", group_id: "g-1" }, true],
    ["in a topic that is gone", { channel_id: "ch-9" }, {}, true],
    ["without a group", { channel_id: "ch-1" }, { topic: "Support" }, false],
  ])("%s", async (_title, last, found, asksForTopics) => {
    const { account, requests } = fakeAccount(["c-now", "c-1"], last);
    expect(await lastConversationOf(account, "u-1", "c-now", SUPPORT)).toEqual(found);
    expect(requests).toEqual(["of u-1", "c-1", ...(asksForTopics ? ["channels"] : [])]);
  });

  test("is undefined for a new customer, without further requests", async () => {
    const { account, requests } = fakeAccount(["c-now"]);
    expect(await lastConversationOf(account, "u-1", "c-now", SUPPORT)).toBeUndefined();
    expect(requests).toEqual(["of u-1"]);
  });

  test("is undefined if it can't be read any more", async () => {
    const { account } = fakeAccount(["c-now", "c-1"]);
    expect(await lastConversationOf(account, "u-1", "c-now", SUPPORT)).toBeUndefined();
  });
});

describe("the template messages offered to an agent", () => {
  const settings = (outbound_events: string) =>
    settingsOf({ outbound_events, outbound_from: "+12025550100", outbound_namespace: "shop" });
  const ada = { first_name: "Ada", phone: "+12025550101" } as User;

  test("are those that need the customer's data only", () => {
    const lines = [
      "visit.planned => visit (en): {{user.first_name}}",
      "order.shipped => order_update (en): {{user.first_name}}, {{data.number}}",
    ].join("\n");
    expect(offeredMessages(settings(lines), ada, NOW)).toEqual({
      ready: [{ event: "visit.planned", template: "visit" }],
    });
  });

  test("are empty without a phone number, with the first reason", () => {
    const { ready, problem } = offeredMessages(
      settings("visit.planned => visit (en): {{user.first_name}}"),
      { ...ada, phone: "" },
      NOW,
    );
    expect(ready).toEqual([]);
    expect(problem).toMatch(/number/);
  });

  test("are empty without a reason if no template is configured", () => {
    expect(offeredMessages(settings(""), undefined, NOW)).toEqual({ ready: [] });
  });
});
