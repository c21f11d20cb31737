import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { serviceHarness, type ServiceHarness } from "../../service/test/service-harness.ts";

let w: ServiceHarness;
let user: string;
const names = Array.from({ length: 23 }, (_, index) => `Ann ${String(index).padStart(2, "0")}`);
beforeAll(async () => {
  w = await serviceHarness();
  for (const first_name of names)
    ({ id: user } = await w.client.users.createUser({ body: { first_name, last_name: "Lee" } }));
});
afterAll(() => w.close());

test("items of all pages are returned in order, with the filters of the first page", async () => {
  await w.client.users.createUser({ body: { first_name: "Bob", last_name: "Ray" } });
  const seen: unknown[] = [];
  const query = { last_name: "Lee", items_per_page: 5, sort_by: "created_time" } as const;
  for await (const { first_name } of w.client.users.listUsers.items({ query })) seen.push(first_name);
  expect(seen).toEqual(names);
});

test("pages are returned one by one, from the requested page on", async () => {
  const pages: number[] = [];
  const query = { last_name: "Lee", items_per_page: 10, page: 2 };
  for await (const { pagination, users } of w.client.users.listUsers.pages({ query }))
    pages.push(pagination.current_page, users.length);
  expect(pages).toEqual([2, 10, 3, 3]);
});

test("an iteration that is left early requests no further page", async () => {
  const own: string[] = [];
  for await (const _ of w.client.users.listUsers.items({ query: { last_name: "Lee", items_per_page: 1 } })) {
    own.push("seen");
    if (own.length === 2) break;
  }
  expect(own).toHaveLength(2);
});

test("an empty list can be iterated", async () => {
  for await (const page of w.client.users.listUsers.pages({ query: { last_name: "Nobody" } }))
    expect(page.users).toEqual([]);
});

test("messages, whose next page is named by another member, can be iterated", async () => {
  const { channels } = await w.client.channels.listChannels();
  const ids = Array.from({ length: 7 }, (_, index) => String(index));
  const { conversation_id } = await w.client.conversations.createConversation({
    body: {
      channel_id: channels[0]?.id ?? "",
      users: [{ id: user }],
      messages: ids.map((content) => ({
        actor_type: "user" as const,
        actor_id: user,
        message_parts: [{ text: { content } }],
      })),
    },
  });
  const seen: unknown[] = [];
  for await (const message of w.client.messages.listMessages.items({
    params: { conversation_id },
    query: { items_per_page: 3 },
  }))
    seen.push(message.message_parts[0]?.text?.content);
  expect(seen).toEqual(ids.reverse());
});

/** Checked by the compiler, never called. */
export const types = async () => {
  // @ts-expect-error an endpoint that is not a list has no pages
  const none: unknown = w.client.users.getUser.pages;
  // @ts-expect-error a list without pages has no pages
  const neither: unknown = w.client.fields.listFields.items;
  for await (const group of w.client.groups.listGroups.items()) {
    const name: string = group.name;
    return [name, none, neither];
  }
  return undefined;
};
