import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { INTEGRATION, oauthFixture, type OAuthFixture } from "./oauth-fixture.ts";

const SERVER = `
const look = async () => {
  const known = $credentials.oauth({ version: "v1" });
  const outcome = (work) => work.then((value) => value, ({ status, message }) => ({ status, message }));
  const version = (() => { try { $credentials.oauth(); return "none"; } catch (error) { return error.message; } })();
  console.log("looked " + JSON.stringify([await outcome(known.get({ oauthName: "provider" })), await outcome(known.get({ oauthName: "gone" })),
    await outcome(known.get()), await outcome(known.delete({})), version]));
  renderData();
};
exports = { look };`;
const manifest = {
  "platform-version": "3.0",
  modules: {
    common: { requests: { call: {}, other: {} }, events: { afterAppUpdate: { handler: "look" } } },
    chat_user: {},
  },
};

let fixture: OAuthFixture;
beforeAll(async () => {
  fixture = await oauthFixture(
    { provider: INTEGRATION, second: INTEGRATION },
    { "manifest.json": manifest, "server/server.js": SERVER },
  );
  await fixture.host.install({});
});
afterAll(() => fixture.close());

const looked = async (): Promise<unknown[]> => {
  fixture.lines.length = 0;
  expect(await fixture.host.install({})).toMatchObject({ ok: true });
  const line = fixture.lines.find((one) => one.includes("looked ")) ?? "";
  return JSON.parse(line.slice(line.indexOf("looked ") + "looked ".length)) as unknown[];
};

test("$credentials.oauth returns the account of an authorized integration without its token, and a reason otherwise", async () => {
  const refused = (name: string) => ({
    status: 404,
    message: `oauthName must name an integration of config/oauth_config.json (provider, second); it was ${name}`,
  });
  const rest = [
    refused('"gone"'),
    refused("null"),
    { status: 501, message: "$credentials.oauth().delete is not supported here" },
    `OAuth credentials have the version v1 only: call oauth({ version: "v1" })`,
  ];
  expect(await looked()).toEqual([{ results: [] }, ...rest]);
  expect((await fixture.visitor().follow("/oauth/provider/authorize")).status).toBe(200);
  expect(await looked()).toEqual([{ results: [{ account_name: "default" }] }, ...rest]);
});
