import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { FrameLocator, Page } from "playwright-core";
import { KEY } from "../support/fake-account.ts";
import { fixtureFolder, installFixture, STORED, SUFFIX, type PageVisit } from "./install-fixture.ts";
import { fileFixture } from "../../../../test/support/file-fixture.ts";

/**
 * A custom installation page, config/iparams.html, in a real browser:
 *
 * | subject | test |
 * |---|---|
 * | the legacy client script, assets, modules | a custom installation page |
 * | its origin and storage | a custom installation page |
 * | getConfigs: prefilled, secure values masked | when it is edited |
 * | postConfigs: any JSON, `__meta.secure`, `__meta.modules`, invalid results | an installation, postConfigs |
 * | validate: false, promises, messages, errors | validate |
 * | client.data, client.iparams, client.request | its client |
 * | values typed, saved, typed again, set by code | unsaved changes |
 */
let visit: PageVisit;
let page: Page;
let own: FrameLocator;

const fixture = fileFixture(() => installFixture(fixtureFolder("install-own")));
beforeEach(async () => {
  visit = await fixture.visit();
  page = visit.page;
  own = page.frameLocator("iframe[data-own]");
  await own.locator("body[data-part=loaded]").waitFor();
});
afterEach(() => visit.leave());

const save = () => page.getByRole("button", { name: /^(Install|Save changes)$/ }).click();
const notice = (text: string) => page.locator("[data-notice]").getByText(text).waitFor();
const seen = (text: string) => own.locator("#seen").getByText(text, { exact: true }).waitFor();
const go = async (way: string) => {
  await own.locator("#way").fill(way);
  await own.getByRole("button", { name: "Go" }).click();
};

describe("a custom installation page", () => {
  test("is shown in a frame, with its assets and the client of the version that it requests", async () => {
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Install own");
    expect(await own.locator("body").evaluate((body) => getComputedStyle(body).color)).toBe("rgb(1, 2, 3)");
    const { port } = fixture.host;
    const origins = [
      fixture.host.url,
      ...["", "frame."].map((name) => `http://${name}app-install-own.localhost:${port}`),
    ];
    expect([...new Set(visit.requests.map((address) => new URL(address).origin))].sort()).toEqual(origins.sort());
    expect(visit.errors).toEqual([]);
    expect(await own.locator("#seen").textContent()).toBe("");
  });

  test("has an origin of its own, with storage that is there when the page is opened again", async () => {
    const frame = own.locator("body");
    expect(await frame.evaluate("origin")).toBe(`http://frame.app-install-own.localhost:${fixture.host.port}`);
    const keep = `localStorage.setItem("kept", "1"); sessionStorage.setItem("kept", "2"); document.cookie = "kept=3; path=/";`;
    await frame.evaluate(keep);
    await page.reload();
    const kept =
      "[localStorage.getItem('kept'), sessionStorage.getItem('kept'), document.cookie, typeof indexedDB.open]";
    expect(await frame.evaluate(kept)).toEqual(["1", "2", "kept=3", "function"]);
    expect(await page.evaluate("[localStorage.length, document.cookie]")).toEqual([0, ""]);
  });

  test("loads as before, without storage, in a browser that does not resolve the host name of frames", async () => {
    const context = await fixture.browser.newContext();
    await context.route("**/front/probe", (route) => route.abort());
    const apart = await context.newPage();
    await apart.goto(`${fixture.host.url}/custom_configs`);
    const frame = apart.frameLocator("iframe[data-own]");
    await frame.locator("body[data-part=loaded]").waitFor();
    expect(await frame.locator("body").evaluate("origin")).toBe("null");
    await frame.locator("body").evaluate("void setTimeout(() => localStorage.setItem('a', 'b'))");
    await apart.getByText("so that they have no storage and no cookies here.").waitFor();
    await context.close();
  });

  test("has the height that it requests, and can't read the parent page", async () => {
    await go("parent");
    await seen('"blocked"');
    await go("tall");
    await page.waitForFunction(() => (document.querySelector("iframe")?.offsetHeight ?? 0) >= 900);
  });

  test("may fetch the icons of its components, and frsh_init returns its client", async () => {
    const icon = own.locator("body").evaluate(async () => (await fetch("data:image/svg+xml,<svg/>")).text());
    expect(await icon).toBe("<svg/>");
    expect(await own.locator("body").evaluate("frsh_init().then((client) => typeof client.request)")).toBe("object");
  });

  test("reports uncaught errors to its author", async () => {
    await go("stray");
    await page.getByRole("alert").getByText("Nobody caught this.").waitFor();
  });

  test.each(["/own/assets/../iparams.html", "/own/assets/..%2foauth_config.json", "/own/assets/none.js"])(
    "does not serve %s",
    async (path) => {
      expect((await fetch(`${fixture.host.url}/custom_configs${path}`)).status).toBe(404);
    },
  );
});

describe("validate()", () => {
  test.each([
    ["no", "Validation failed."],
    ["later no", "Validation failed."],
    ["text", "The team is unknown."],
    ["reject", "The token is old."],
    ["throw", "validate() failed: Nobody checks this."],
  ])("that returns '%s' stores nothing: %s", async (way, message) => {
    await own.locator("#way").fill(way);
    await save();
    await notice(message);
    expect(await fixture.host.installation()).toBeUndefined();
  });
});

describe("postConfigs()", () => {
  test.each([
    ["nothing", "postConfigs() should return an object of values by key."],
    ["broken", "postConfigs() failed: No values today."],
    ["large", "postConfigs(): the values take more than 100000 characters as JSON."],
    ['meta {"secure": "token"}', "postConfigs(): __meta.secure should be an array of keys."],
    ['meta {"modules": ["a"]}', "postConfigs(): __meta.modules should hold an array of keys for each module."],
    ["meta 7", "postConfigs(): __meta should be an object."],
    [
      'meta {"secure": ["the-value"]}',
      'postConfigs(): __meta.secure has a returned value in place of its key. Write the key as a text, such as ["password"].',
    ],
  ])("that returns '%s' stores nothing: %s", async (way, message) => {
    await own.locator("#way").fill(way);
    await save();
    await notice(message);
    expect(await fixture.host.installation()).toBeUndefined();
  });
});

describe("an installation through a custom page", () => {
  const lastRequest = () => fixture.account.requests.at(-1);

  test("stores the page's values, the secure values separately", async () => {
    await own.locator("#team").fill("Sales");
    await own.locator("#token").fill(KEY);
    await own.locator("#colours").fill("red,blue");
    await own.locator("#way").fill("later yes");
    await save();
    await notice(STORED);
    const installation = await fixture.host.installation();
    expect(installation?.values).toEqual({ team: { name: "Sales", size: 3 }, colours: ["red", "blue"] });
    expect([...(installation?.secure ?? [])]).toEqual(["token"]);
    await page.getByRole("button", { name: "Save changes" }).waitFor();
  });

  test("is edited with its values; the secure one is masked and absent from the page", async () => {
    await seen('{"team":{"name":"Sales","size":3},"colours":["red","blue"],"token":"********"}');
    expect(await own.locator("#team").inputValue()).toBe("Sales");
    for (const path of ["", "/own/"]) {
      expect(await (await fetch(`${fixture.host.url}/custom_configs${path}`)).text()).not.toContain(KEY);
    }
  });

  test("keeps its secure value when the mask is returned, and uses it in headers for the stored account", async () => {
    await seen('{"team":{"name":"Sales","size":3},"colours":["red","blue"],"token":"********"}');
    await own.locator("#team").fill("acme");
    await save();
    await notice(STORED);
    await go(`get https://acme${SUFFIX}/v2/groups`);
    await seen('{"groups":[{"name":"Sales"},{"name":"Support"}]}');
    expect(lastRequest()).toEqual({ path: "/v2/groups", authorization: `Bearer ${KEY}` });
  });

  test.each([
    [
      "another account",
      `https://other${SUFFIX}/v2/groups`,
      "is secure: it is sent only to a host that the app's files name, or that is stored together with it",
    ],
    ["the URL", `https://acme${SUFFIX}/v2/groups?token=<%=iparam.token%>`, "is secure: it may stand in headers only"],
  ])("does not send its secure value to %s", async (_, address, why) => {
    const before = fixture.account.requests.length;
    await go(`get ${address}`);
    await seen(`"Error while substituting the templates: iparam.token ${why}"`);
    expect(fixture.account.requests.length).toBe(before);
  });

  test("is read by client.iparams, except for its secure value", async () => {
    const ways: [string, string][] = [
      ["all", '{"team":{"name":"acme","size":3},"colours":["red","blue"]}'],
      ["one colours", '{"colours":["red","blue"]}'],
      ["one token", `"The installation parameter 'token' is secure: only the request method reads it."`],
      ["one nobody", `"No installation parameter matches the key 'nobody'."`],
      [
        "data",
        `{"currentHost":{"subscribed_modules":[],"endpoint_urls":{"freshchat":"https://acme${SUFFIX}","chat":"https://acme${SUFFIX}"}}}`,
      ],
    ];
    for (const [way, text] of ways) {
      await go(way);
      await seen(text);
    }
  });

  test("deletes a secure value whose key is no longer secure", async () => {
    await own.locator("#way").fill("open");
    await save();
    await notice(STORED);
    const installation = await fixture.host.installation();
    expect(installation?.values).toEqual({ team: { name: "acme" }, token: "now-open" });
    expect([...(installation?.secure ?? [])]).toEqual([]);
  });
});

describe("unsaved changes", () => {
  const unsaved = () => page.locator("[data-part=unsaved]");
  const expectUnsaved = (text: string) => unsaved().getByText(text, { exact: true }).waitFor();
  const asked = async () => {
    const types: string[] = [];
    page.on("dialog", (dialog) => {
      types.push(dialog.type());
      void dialog.accept();
    });
    await page.reload();
    return types;
  };

  test("in a custom page are shown beside the button, and leaving asks for confirmation", async () => {
    expect(await unsaved().textContent()).toBe("");
    await own.locator("#team").fill("Support");
    await expectUnsaved("Unsaved changes");
    expect(await asked()).toEqual(["beforeunload"]);
  });

  test("are gone after saving, until the next entry", async () => {
    await own.locator("#team").fill("Support");
    await expectUnsaved("Unsaved changes");
    await save();
    await notice(STORED);
    expect(await unsaved().textContent()).toBe("");
    await own.locator("#team").pressSequentially("!");
    await expectUnsaved("Unsaved changes");
    expect(await page.locator("[data-notice]").isVisible()).toBe(false);
  });

  test("remain after a rejected save", async () => {
    await own.locator("#way").fill("text");
    await save();
    await notice("The team is unknown.");
    expect(await unsaved().textContent()).toBe("Unsaved changes");
  });

  test("do not arise when the page's own code sets its controls, and leaving asks no question", async () => {
    await page.locator("h1").click();
    await own.locator("#team").evaluate((input: HTMLInputElement) => {
      input.value = "by code";
      input.dispatchEvent(new Event("input", { bubbles: true }));
      input.dispatchEvent(new Event("change", { bubbles: true }));
    });
    // The frame's messages have arrived by then.
    await page.waitForFunction(
      () =>
        new Promise((resolve) => {
          requestAnimationFrame(() => setTimeout(() => resolve(true), 100));
        }),
    );
    expect(await own.locator("#team").inputValue()).toBe("by code");
    expect(await unsaved().textContent()).toBe("");
    expect(await asked()).toEqual([]);
  });
});
