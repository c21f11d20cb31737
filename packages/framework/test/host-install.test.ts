import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { APP_SCHEMA } from "../src/db/migrations.ts";
import { KEY } from "./fake-account.ts";
import { messageEvent, hostFixture, type HostFixture } from "./host-fixture.ts";

const VALUES = { domain: "acme.parley.localhost", api_key: KEY };

describe("an installation", () => {
  let here: HostFixture;
  beforeAll(async () => {
    here = await hostFixture("listener");
  });
  afterAll(() => here.close());

  test("is missing: events are answered 204 and no handler runs", async () => {
    expect(await here.deliver(messageEvent("greet"))).toBe(204);
    expect(await here.host.installation()).toBeUndefined();
    expect(await (await fetch(here.host.url)).text()).toContain("Not installed yet");
  });

  test("is rejected with a key that the account doesn't know", async () => {
    expect(await here.host.install({ ...VALUES, api_key: "wrong" })).toMatchObject({
      ok: false,
      errors: { api_key: "Domain or API key is not matching" },
    });
  });

  test("is rejected by the app with its own message", async () => {
    expect(await here.host.install({ ...VALUES, note: "block" })).toMatchObject({ ok: false, message: "Not today" });
    expect(await here.host.installation()).toBeUndefined();
  });

  test("is rejected with a message when the handler doesn't call renderData", async () => {
    expect(await here.host.install({ ...VALUES, note: "forget" })).toMatchObject({
      ok: false,
      message: expect.stringMatching(/onAppInstallHandler.*renderData\(\)/),
    });
  });

  test("runs onAppInstall with the new values, uses them in its requests, and stores them", async () => {
    here.account.requests.length = 0;
    expect(await here.host.install(VALUES)).toEqual({ ok: true });
    await here.waitForLog(/installed with \{"domain":"acme.parley.localhost","note":"usual"\}/);
    expect(here.account.requests.at(-1)).toEqual({ path: "/v2/groups", authorization: `Bearer ${KEY}` });
    expect(await here.host.installation()).toMatchObject({ account: "acme", values: { note: "usual" } });
  });
});

test("a secure parameter appears in no log, payload, error or page, and in the database only encrypted", async () => {
  const here = await hostFixture("listener");
  await here.host.install(VALUES);
  await here.host.install({ ...VALUES, api_key: `${KEY}-wrong` });
  for (const text of ["search", "groups", "fail", "show"]) await here.deliver(messageEvent(text));
  here.account.setFailure(500);
  await here.deliver(messageEvent("groups"));
  const pages = await Promise.all(
    ["/", "/custom_configs", "/app/"].map(async (path) => (await fetch(here.host.url + path)).text()),
  );
  const tables = await Promise.all(
    ["installations", "records", "handled_events"].map((table) =>
      here.database.pool(APP_SCHEMA).rows(statement("", `SELECT ${table}::text AS row FROM ${table}`), []),
    ),
  );
  const everything = JSON.stringify([here.lines, pages, tables, await here.host.installation()]);
  expect(everything).toContain("installed with");
  expect(everything).not.toContain(KEY);
  await here.close();
});
