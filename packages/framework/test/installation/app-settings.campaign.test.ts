import { afterEach, describe, expect, test } from "@jest/globals";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { AppSetting, AppSettingsAnswer, Invocation } from "@parley/contract";
import { statement } from "@parley/database";
import { APP_SCHEMA } from "../../src/state/db/migrations.ts";
import { appFixture, type AppParts, type AppFixture } from "../support/app-fixture.ts";

const SECRET = "canary+app-setting/77";
const SETTINGS = {
  vendor_key: {},
  account: {},
  subdomain: { display_name: "Account at the vendor" },
  region: { secure: false, description: "Where the vendor keeps the data." },
};
const template = (host: string, more: object = {}) => ({
  schema: { method: "GET" as const, host, path: "/x", headers: { key: "<%= app_settings.vendor_key %>" }, ...more },
});
const requests = {
  literal: template("api.example", {
    path: "/<%= app_settings.region %>",
    query: { k: "<%= app_settings.vendor_key %>" },
  }),
  own: template("<%= app_settings.subdomain %>.vendor.example"),
  byContext: template("<%= context.host %>"),
  joined: template("<%= app_settings.region %>.<%= app_settings.account %>.example", { headers: {} }),
  mixed: template("<%= app_settings.subdomain %>.<%= context.host %>", { headers: {} }),
  byParameter: template("<%= iparam.host %>"),
  pathByContext: template("<%= context.host %>", { path: "/<%= app_settings.vendor_key %>", headers: {} }),
};
const SERVER = `
exports = {
  send: ({ name, context }) => $request.invokeTemplate(name, { context }).then(
    ({ response }) => renderData(null, JSON.parse(response)),
    ({ status, response }) => renderData({ status, message: response }),
  ),
  args: (args) => renderData(null, Object.keys(args).sort()),
  onSettingsUpdate: async function (args) {
    console.log("update", args.region, typeof args.vendor_key, args.vendor_key);
    if (args.region === "refused") return renderData({ error_msg: "The vendor refuses " + args.vendor_key });
    if (args.region === "thrown") throw new Error("no " + args.vendor_key);
    if (args.region === "asked") {
      const { response } = await $request.invokeTemplate("literal", {});
      console.log("seen", JSON.parse(response).url);
    }
    renderData();
  },
};`;
const parts: AppParts = {
  server: SERVER,
  iparams: { host: { display_name: "Host", type: "text" } },
  common: {
    functions: { send: {}, args: {} },
    requests: Object.fromEntries(Object.keys(requests).map((name) => [name, {}])),
  },
  requests,
  files: { "config/app_settings.json": SETTINGS },
};

let fixture: AppFixture;
let vendor: Server;
const begin = async (appParts: AppParts = parts) => {
  vendor = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ url: request.url, host: request.headers.host, key: request.headers["key"] ?? "" }));
  });
  await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(vendor.address() as AddressInfo).port}`;
  fixture = await appFixture(appParts, { maps: new Map([["*.example", origin]]) });
};
afterEach(async () => {
  await fixture.close();
  vendor.closeAllConnections();
  await new Promise((resolve) => vendor.close(resolve));
});

const save = async (values: Record<string, string>) =>
  (await fixture.requestAsAuthor("app-settings", { values })) as AppSettingsAnswer;
const list = async () =>
  ((await fixture.requestAsAuthor("app-settings")) as { settings: readonly AppSetting[] }).settings;
const send = (name: string, context: object = {}) => fixture.call("send", { name, context });
const saved = async () => Object.fromEntries((await list()).map(({ key, isSet, value }) => [key, value ?? isSet]));

describe("app settings", () => {
  test("are declared by the app, set before its installation, and shown without secure values", async () => {
    await begin();
    expect(await list()).toEqual([
      { key: "vendor_key", label: "vendor_key", description: "", isSecure: true, isSet: false },
      { key: "account", label: "account", description: "", isSecure: true, isSet: false },
      { key: "subdomain", label: "Account at the vendor", description: "", isSecure: true, isSet: false },
      { key: "region", label: "region", description: SETTINGS.region.description, isSecure: false, isSet: false },
    ]);
    expect(await save({ vendor_key: SECRET, region: "eu" })).toMatchObject({ ok: true });
    expect(await saved()).toEqual({ vendor_key: true, account: false, subdomain: false, region: "eu" });
    expect(await save({ region: "" })).toMatchObject({ ok: true });
    expect(await saved()).toEqual({ vendor_key: true, account: false, subdomain: false, region: false });
  });

  test("fill request templates in header, query and path from the next request on, and are no handler arguments", async () => {
    await begin();
    await fixture.install({ host: "api.example" });
    expect((await send("literal")).error).toContain("app_settings.region has no value");
    await save({ vendor_key: SECRET, region: "eu" });
    expect((await send("literal")).output).toEqual({
      url: `/eu?k=${encodeURIComponent(SECRET)}`,
      host: "api.example",
      key: SECRET,
    });
    expect((await fixture.call("args")).output).toEqual(["currentHost", "iparams"]);
  });

  test("are sent to hosts that the app's files or settings determine, and to none from a parameter or the context", async () => {
    await begin();
    await fixture.install({ host: "other.example" });
    await save({ vendor_key: SECRET, subdomain: "acme" });
    expect((await send("own")).output).toMatchObject({ host: "acme.vendor.example", key: SECRET });
    const refusals = [
      await send("byParameter"),
      await send("byContext", { host: "thief.example" }),
      await send("pathByContext", { host: "thief.example" }),
    ];
    const mixed = await send("mixed", { host: "thief.example" });
    expect(mixed.error).toContain("app_settings.subdomain is secure: it is sent only to a host");
    for (const { ok, error } of refusals) {
      expect(ok).toBe(false);
      expect(error).toContain("app_settings.vendor_key is secure: it is sent only to a host that the app's files name");
    }
    // The settings are also sent to the host that the app's files name.
    expect((await send("byContext", { host: "api.example" })).output).toMatchObject({ key: SECRET });
  });

  test("that are stored must be entered again when a new setting would send them to another host", async () => {
    await begin();
    await save({ vendor_key: SECRET, subdomain: "acme" });
    expect(await save({ subdomain: "thief" })).toEqual({
      ok: false,
      message: "The settings were not saved.",
      errors: {
        vendor_key:
          "Enter this again: it could now be sent to thief.vendor.example, and it was stored for another host.",
      },
    });
    expect(await save({ subdomain: "thief", vendor_key: "of the other" })).toMatchObject({ ok: true });
  });

  test("that are part of a host must be entered again when the rest of the host changes, with a message without their values", async () => {
    await begin();
    await save({ account: "Hidden-Account", region: "eu" });
    const answer = await save({ region: "us" });
    expect(answer).toMatchObject({
      ok: false,
      errors: {
        account: "Enter this again: it could now be sent to a new host, and it was stored for another host.",
      },
    });
    expect(await save({ region: "us", account: "Hidden-Account" })).toMatchObject({ ok: true });
  });

  test("that are undeclared are rejected by name", async () => {
    await begin();
    expect(await save({ gone: "x" })).toEqual({
      ok: false,
      message: "The settings were not saved.",
      errors: { gone: "config/app_settings.json declares no such setting." },
    });
  });

  test("that are secure appear in no record, log, page or table", async () => {
    await begin();
    await fixture.install({ host: "api.example" });
    await save({ vendor_key: SECRET, region: "asked" });
    await save({ region: "refused" });
    await save({ region: "thrown" });
    const sent = await send("literal");
    const raised = await fixture.sendEvent("onSettingsUpdate");
    const page = await (await fetch(`${fixture.host.url}/custom_configs`)).text();
    const pool = fixture.database.pool(APP_SCHEMA);
    const rows = await Promise.all(
      ["app_settings", "invocations"].map((table) => pool.rows(statement("", `select t::text from "${table}" t`), [])),
    );
    // The vendor's answer belongs to the app and may contain its values.
    const { output: _answered, ...record } = sent;
    const recorded = [...(await fixture.invocations()).filter(({ id }) => id !== sent.id), record, raised];
    const everything = JSON.stringify([recorded, page, fixture.lines]);
    expect(everything).toContain("[secure value]");
    for (const canary of [SECRET, encodeURIComponent(SECRET)]) {
      expect(everything).not.toContain(canary);
      expect(JSON.stringify(rows[0])).not.toContain(canary);
    }
  });

  test("are deleted with the app", async () => {
    await begin();
    await fixture.install({ host: "api.example" });
    await save({ vendor_key: SECRET });
    await fixture.host.uninstall();
    expect(await saved()).toEqual({ vendor_key: false, account: false, subdomain: false, region: false });
  });
});

describe("onSettingsUpdate", () => {
  const updates = () => fixture.lines.filter((line) => line.includes("update "));

  test("receives all settings as they would be stored, by key, without an entry in the manifest", async () => {
    await begin();
    await save({ vendor_key: SECRET, region: "eu" });
    await save({ region: "us" });
    expect(updates().map((line) => line.slice(line.indexOf("update")))).toEqual([
      "update eu string [secure value]",
      "update us string [secure value]",
    ]);
  });

  test("rejects by renderData or by an error; the message has no secure value, and the old settings remain", async () => {
    await begin();
    await save({ vendor_key: SECRET, region: "eu" });
    expect(await save({ region: "refused" })).toEqual({
      ok: false,
      errors: {},
      message: "The vendor refuses [secure value]",
    });
    expect(await save({ region: "thrown" })).toEqual({
      ok: false,
      errors: {},
      message: "onSettingsUpdate failed: Error: no [secure value]",
    });
    expect(await saved()).toMatchObject({ region: "eu" });
  });

  test("sends its requests with the new settings", async () => {
    await begin();
    expect(await save({ vendor_key: SECRET, region: "asked" })).toMatchObject({ ok: true });
    expect(fixture.lines.join("\n")).toMatch(/seen \/asked\?k=/);
  });

  test("can be sent manually with the stored settings", async () => {
    await begin();
    await fixture.install({ host: "api.example" });
    await save({ vendor_key: SECRET, region: "eu" });
    const raised: Invocation = await fixture.sendEvent("onSettingsUpdate");
    expect(raised).toMatchObject({ ok: true, kind: "set-up", payload: { region: "eu" } });
    expect(raised.payload).not.toHaveProperty("vendor_key");
    expect(updates().at(-1)).toContain("update eu string");
  });

  test("with an entry in the manifest calls that handler", async () => {
    const common = { ...parts.common, events: { onSettingsUpdate: { handler: "refuse" } } };
    await begin({
      ...parts,
      common,
      server: `${SERVER}\nexports.refuse = () => renderData({ message: "Not now." });`,
    });
    expect(await save({ region: "eu" })).toMatchObject({ ok: false, message: "Not now." });
  });
});
