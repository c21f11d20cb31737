import { expect, test } from "@jest/globals";
import "../browser-globals.ts";

import { formProblemsOf, formValuesOf } from "../../src/forms/schema-form.ts";
import { successTone, urlRefusal, webhookForm, withAction } from "../../src/administration/webhooks/webhook-values.ts";

const ADDRESSES: readonly (readonly [url: string, isAccepted: boolean])[] = [
  ["https://hooks.example.com/parley?a=b", true],
  [" https://hooks.example.com ", true],
  // The service decides whether an address of this machine is admitted.
  ["http://localhost:4000/", true],
  ["", false],
  ["hooks.example.com", false],
  ["ftp://hooks.example.com", false],
  ["javascript:alert(1)", false],
  ["https://", false],
];
test.each(ADDRESSES)("the address %j is accepted: %s", (url, isAccepted) => {
  expect(formProblemsOf(webhookForm, { ...formValuesOf(webhookForm), url }).url === undefined).toBe(isAccepted);
});

test("a webhook without events is refused", () => {
  expect(Object.keys(formProblemsOf(webhookForm, { url: "https://a.example", actions: [] }))).toEqual(["actions"]);
});

test("chosen events are in the order of the contract, in any order of choice", () => {
  const chosen = withAction(["conversation_reopen"], "message_create", true);
  expect(chosen).toEqual(["message_create", "conversation_reopen"]);
  expect(withAction(chosen, "message_create", false)).toEqual(["conversation_reopen"]);
});

test("a refused address is said at its field, another refusal is not", () => {
  expect(urlRefusal("url: it leads to a private address: give another address.")).toBe(
    "it leads to a private address: give another address.",
  );
  expect(urlRefusal("The account has 100 webhooks.")).toBeUndefined();
  expect(urlRefusal(undefined)).toBeUndefined();
});

test.each([
  [10, 10, "success"],
  [10, 9, "warning"],
  [10, 5, "warning"],
  [10, 4, "danger"],
  [1, 0, "danger"],
] as const)("of %s deliveries %s arrived: %s", (attempted, delivered, tone) => {
  expect(successTone(attempted, delivered)).toBe(tone);
});
