import { describe, expect, test } from "@jest/globals";
import type { DirectoryCustomer, User } from "@parley/contract";
import { faultOf, filledFields, type EditedField } from "../src/customers/customer-fields.ts";
import { checkDirectoryAddress } from "../src/customers/directory-search.ts";
import { changesOf } from "../src/customers/event-changes.ts";
import { totalOf, withChangedUsers, withoutCustomer, withTotal } from "../src/customers/patch-directory.ts";
import type { LiveItem } from "../src/live/live-messages.ts";

const time = "2030-01-01T00:00:00.000Z";
const user = (id: string, fields: Partial<User> = {}): User => ({
  id,
  created_time: time,
  updated_time: time,
  login_status: false,
  ...fields,
});
const listed = (id: string, fields: Partial<DirectoryCustomer> = {}): DirectoryCustomer => ({
  id,
  created_time: time,
  conversations: 1,
  ...fields,
});
const pages = { pages: [{ customers: [listed("a"), listed("b")], total: 3, next: "n" }, { customers: [listed("c")] }] };
const item = (event: string, data: unknown): LiveItem => ({ event, data: { data } }) as unknown as LiveItem;

describe("customers in the directory", () => {
  test("a changed user replaces the fields of its line, and leaves the other pages as they are", () => {
    const changed = withChangedUsers(pages, new Map([["c", user("c", { first_name: "Cy", phone: "1" })]]));
    expect(changed.pages[1]?.customers[0]).toMatchObject({ first_name: "Cy", phone: "1", conversations: 1 });
    expect(changed.pages[0]).toBe(pages.pages[0]);
  });

  test("users who are not listed, or differ in nothing, change nothing", () => {
    expect(withChangedUsers(pages, new Map([["x", user("x", { email: "x@customer.example" })]]))).toBe(pages);
    expect(withChangedUsers(pages, new Map([["a", user("a")]]))).toBe(pages);
  });

  test("a deleted customer leaves the list, and the total is one less", () => {
    const left = withoutCustomer(pages, "b");
    expect(left.pages[0]?.customers.map(({ id }) => id)).toEqual(["a"]);
    expect(totalOf(left)).toBe(2);
    expect(withoutCustomer(pages, "x")).toBe(pages);
  });

  test("a total is replaced on the first page only", () => {
    const changed = withTotal(pages, 9);
    expect(changed.pages.map(({ total }) => total)).toEqual([9, undefined]);
  });
});

describe("events about customers", () => {
  test("the newest event of a user counts", () => {
    const { users, hasNewCustomers } = changesOf([
      item("user_update", { user: user("a", { first_name: "One" }) }),
      item("user_update", { user: user("a", { first_name: "Two" }) }),
    ]);
    expect(users.get("a")?.first_name).toBe("Two");
    expect(hasNewCustomers).toBe(false);
  });

  test("a created user and a created conversation may be new customers of the directory", () => {
    expect(changesOf([item("user_create", { user: user("a") })]).hasNewCustomers).toBe(true);
    const { withConversations, hasNewCustomers } = changesOf([
      item("conversation_create", { associations: { user: user("b") } }),
    ]);
    expect([...withConversations]).toEqual(["b"]);
    expect(hasNewCustomers).toBe(true);
  });

  test("a message changes the conversations of its customer, but not the directory", () => {
    const { withConversations, hasNewCustomers, users } = changesOf([
      item("message_create", { associations: { user: user("c") } }),
      item("message_create", { associations: {} }),
    ]);
    expect([...withConversations]).toEqual(["c"]);
    expect([hasNewCustomers, users.size]).toEqual([false, 0]);
  });
});

describe("fields of a customer", () => {
  const cases: readonly (readonly [EditedField, string, ReturnType<typeof faultOf>])[] = [
    ["email", "mia@customer.example", undefined],
    ["email", " mia@customer.example ", undefined],
    ["email", "mia", "email"],
    ["email", "mia@customer", "email"],
    ["email", "", undefined],
    ["phone", "+49 (0)30 123-456", undefined],
    ["phone", "call me", "phone"],
    ["first_name", "Zoë", undefined],
    ["last_name", "x".repeat(1_025), "long"],
  ];
  test.each(cases)("%s %j: %s", (field, value, fault) => {
    expect(faultOf(field, value)).toBe(fault);
  });

  test("a new customer has the fields that were filled", () => {
    expect(filledFields({ first_name: " Mia ", last_name: " ", email: "", phone: "1" })).toEqual({
      first_name: "Mia",
      phone: "1",
    });
  });

  test("an address keeps its valid parameters only", () => {
    expect(checkDirectoryAddress({ q: 49, order: "name", page: "2" })).toEqual({ q: "49", order: "name" });
    expect(checkDirectoryAddress({ q: "", order: "random" })).toEqual({});
  });
});
