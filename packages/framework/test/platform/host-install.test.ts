import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { statement } from "@parley/database";
import { APP_SCHEMA } from "../../src/state/db/migrations.ts";
import { KEY } from "../support/fake-account.ts";
import { messageEvent, hostFixture, type HostFixture } from "../support/host-fixture.ts";

const VALUES = { domain: "acme.parley.localhost", api_key: KEY };

describe("an installation", () => {
  let fixture: HostFixture;
  beforeAll(async () => {
    fixture = await hostFixture("listener");
  });
  afterAll(() => fixture.close());

  test("is missing: events are answered 204 and no handler runs", async () => {
    expect(await fixture.deliver(messageEvent("greet"))).toBe(204);
    expect(await fixture.host.installation()).toBeUndefined();
    expect(await (await fetch(fixture.host.url)).text()).toContain("Not installed yet");
  });

  test("is rejected with a key that the account doesn't know", async () => {
    expect(await fixture.host.install({ ...VALUES, api_key: "wrong" })).toMatchObject({
      ok: false,
      errors: { api_key: "Domain or API key is not matching" },
    });
  });

  test("is rejected by the app with its own message", async () => {
    expect(await fixture.host.install({ ...VALUES, note: "block" })).toMatchObject({ ok: false, message: "Not today" });
    expect(await fixture.host.installation()).toBeUndefined();
  });

  test("is rejected with a message when the handler doesn't call renderData", async () => {
    expect(await fixture.host.install({ ...VALUES, note: "forget" })).toMatchObject({
      ok: false,
      message: expect.stringMatching(/onAppInstallHandler.*renderData\(\)/),
    });
  });

  test("runs onAppInstall with the new values, uses them in its requests, and stores them", async () => {
    fixture.account.requests.length = 0;
    expect(await fixture.host.install(VALUES)).toEqual({ ok: true });
    await fixture.waitForLog(/installed with \{"domain":"acme.parley.localhost","note":"usual"\}/);
    expect(fixture.account.requests.at(-1)).toEqual({ path: "/v2/groups", authorization: `Bearer ${KEY}` });
    expect(await fixture.host.installation()).toMatchObject({ account: "acme", values: { note: "usual" } });
  });
});

test("a secure parameter appears in no log, payload, error or page, and in the database only encrypted", async () => {
  const fixture = await hostFixture("listener");
  await fixture.host.install(VALUES);
  await fixture.host.install({ ...VALUES, api_key: `${KEY}-wrong` });
  for (const text of ["search", "groups", "fail", "show"]) await fixture.deliver(messageEvent(text));
  fixture.account.setFailure(500);
  await fixture.deliver(messageEvent("groups"));
  const pages = await Promise.all(
    ["/", "/custom_configs", "/app/"].map(async (path) => (await fetch(fixture.host.url + path)).text()),
  );
  const tables = await Promise.all(
    ["installations", "records", "handled_events"].map((table) =>
      fixture.database.pool(APP_SCHEMA).rows(statement("", `select ${table}::text as row from ${table}`), []),
    ),
  );
  const everything = JSON.stringify([fixture.lines, pages, tables, await fixture.host.installation()]);
  expect(everything).toContain("installed with");
  expect(everything).not.toContain(KEY);
  await fixture.close();
});
