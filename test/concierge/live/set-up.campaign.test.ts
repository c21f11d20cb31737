import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { waitUntil } from "../../support/wait-until.ts";
import { conciergeHarness, createCustomer } from "./harness.ts";

/** Installation, settings and uninstallation of Concierge, on the real service: its clock starts on Monday, 5 January 2026, at 9:00 UTC. */

let w: Awaited<ReturnType<typeof conciergeHarness>>;
beforeAll(async () => {
  w = await conciergeHarness();
});
afterAll(() => w.install());

const refusalOf = async (iparams: Parameters<typeof w.install>[0]): Promise<string> =>
  w.install(iparams).then(
    () => "installed",
    (error: unknown) => (error as Error).message,
  );
const events = async (event: string) => w.invocations({ event });

test("unusable settings are refused, with the full reason in the log", async () => {
  expect(await refusalOf({ time_zone: "Berlin" })).toBe("concierge can't be installed: The time zone can't be used.");
  const [last] = (await events("afterAppUpdate")).slice(-1);
  expect(JSON.stringify(last?.lines)).toContain("Is it Europe/Berlin?");
  expect(await refusalOf({ rules: "keyword refund => group Billing\nrefund" })).toContain(
    "The list of routing rules can't be read: see line 2.",
  );
  expect(await refusalOf({ after_hours: true, hours: " " })).toContain("The list of business hours is missing.");
  const ada = await createCustomer(w);
  expect(await ada.botTexts()).toHaveLength(1);
});

test("an uninstallation removes all data, and a new installation starts from scratch", async () => {
  const conversation = await createCustomer(w, { user: { first_name: "Desk" } });
  const settings = { digest: true, digest_conversation: conversation.id, digest_hour: "12:00", sync_in: true };
  await w.install(settings);
  const [created] = (await events("onConversationCreate")).slice(-1);
  const payload = (created?.payload ?? {}) as Record<string, unknown>;
  const again = async () => (await w.event("onConversationCreate", payload)).requests?.map(({ template }) => template);
  expect(await again()).not.toContain("getMessages");

  await w.clock.advance("4h");
  await waitUntil(async () => (await events("onScheduledEvent")).length > 0);
  await w.settled();
  const { address } = (await w.function("panelAddress")).output as { address: string };
  const posted = async () => (await fetch(address, { method: "POST", body: "{}" })).status;
  expect(await posted()).not.toBe(404);

  await w.uninstall();
  await w.clock.advance("3d");
  await w.settled();
  expect(await events("onScheduledEvent")).toEqual([]);
  const unheard = await createCustomer(w);
  expect(await unheard.botTexts()).toEqual([]);
  expect(await posted()).toBe(404);

  await w.install({ ...settings, digest: false, sync_in: false });
  const ada = await createCustomer(w);
  expect(await ada.botTexts()).toHaveLength(1);
  // The record of the greeting was removed; the greeting exists and is not repeated.
  expect(await again()).toContain("getMessages");
  expect(await conversation.botTexts()).toHaveLength(1);
  await w.clock.advance("2d");
  await w.settled();
  expect(await events("onScheduledEvent")).toEqual([]);
});
