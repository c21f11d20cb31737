import { expect, test } from "@jest/globals";
import type { AccountDocument, File } from "@parley/contract";
import { sessionHarness } from "../../../identity/authentication/session-harness.ts";
import { clientForm } from "../../../messaging/uploads/upload-form-builder.ts";
import { fileFixture } from "../../../../../../test/support/file-fixture.ts";

/** Welcome messages with uploaded files: their addresses expire, and the document stays as it is. */

const DAY_MS = 24 * 60 * 60 * 1000;
let time = Date.parse("2026-05-05T05:05:05.000Z");
const s = fileFixture(() => sessionHarness({ ports: { now: () => new Date(time) } }));

const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;
const fileOf = ({ channels = [] }: AccountDocument): string =>
  channels.find(({ name }) => name === "With a file")?.welcome_message?.message_parts[0]?.file?.url ?? "";

test("GET /admin/accounts/{account} 200 renews the address of an uploaded file for a session; for the admin key it is as it was applied, and applying it again changes nothing", async () => {
  const form = clientForm("file", "Hello", "text/plain", "a.txt");
  const { url } = (await (await s.raw("POST", "/v2/files/upload", { body: form })).json()) as File;
  const welcome_message = { message_parts: [{ file: { url, name: "a.txt" } }] };
  await s.applyOrThrow({ name: "acme", channels: [{ name: "With a file", welcome_message }] });
  time += 8 * DAY_MS;
  expect(await statusOf(url)).toBe(403);

  const { agents } = await s.client.agents.listAgents({ query: { items_per_page: 100 } });
  const session = await s.signIn(agents.find(({ role_id }) => role_id === "ACCOUNT_ADMIN")?.email ?? "");
  const shown = fileOf((await s.page<AccountDocument>("GET", "/admin/accounts/acme", { session })).body);
  expect(await statusOf(shown)).toBe(200);

  const exported = await s.exportDocument("acme");
  expect(fileOf(exported)).toBe(url);
  expect(await s.applyOrThrow(exported)).toMatchObject({ changes: [] });
});
