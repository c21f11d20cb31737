import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { newBrowserKey, signedHarness, tokenOf, type SignedHarness } from "./signing-fixture.ts";

let s: SignedHarness;
beforeAll(async () => {
  s = await signedHarness();
});
afterAll(() => s.close());

test("POST /messenger/api/sessions/signed 201: a signed visitor is the user of the reference id", async () => {
  const { visitor, signed_until, browser_key } = await s.signVisitor({
    reference_id: "p-1",
    first_name: "Ada",
    email: "ada@shop.example",
  });
  expect(visitor).toMatchObject({ external_id: "p-1", first_name: "Ada", email: "ada@shop.example" });
  expect(signed_until).toBeDefined();
  expect(browser_key).toBeDefined();
  const other = await s.signVisitor({ reference_id: "p-1" });
  expect(other.visitor.user_id).toBe(visitor.user_id);
});
test("wrong", async () => {
  const k = newBrowserKey();
  expect(
    (await s.begin(tokenOf(await s.claimsFor(k, { reference_id: "x" }), s.secret + "x"), { browser_key: k })).code,
  ).toBe(401);
});
