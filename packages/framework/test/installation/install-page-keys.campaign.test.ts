import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Iparam, IparamsConfig } from "@parley/contract";
import { launchBrowser } from "../support/browser.ts";
import { formOn, installFixture, STORED, type InstallFixture } from "./install-fixture.ts";

const RESERVED = ["required", "type", "options", "__proto__"];
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-keys-"));
});

const stageOf = async (iparams: IparamsConfig): Promise<InstallFixture> => {
  const files = {
    "manifest.json": { "platform-version": "3.0", modules: { common: {}, chat_conversation: {} } },
    "config/iparams.json": iparams,
    "server/server.js": "exports = {};",
  };
  for (const [file, content] of Object.entries(files)) {
    await mkdir(join(folder, file, ".."), { recursive: true });
    await writeFile(join(folder, file), typeof content === "string" ? content : JSON.stringify(content));
  }
  return installFixture(folder);
};

describe("parameters with keys that are properties of a form, document or window", () => {
  let fixture: InstallFixture;
  let names: string[];
  beforeAll(async () => {
    const browser = await launchBrowser();
    const page = await browser.newPage();
    names = await page.evaluate(() => {
      const found = new Set<string>();
      for (const start of [document.createElement("form"), document, window])
        for (let each: object | null = start; each; each = Object.getPrototypeOf(each) as object | null)
          for (const name of Object.getOwnPropertyNames(each)) found.add(name);
      return [...found];
    });
    await browser.close();
    folder = await mkdtemp(join(tmpdir(), "parley-keys-"));
    const types = ["text", "paragraph", "checkbox", "dropdown"] as const;
    const iparamOf = (place: number): Iparam => {
      const type = types[place % types.length] ?? "text";
      return { display_name: "A", type, ...(type === "dropdown" ? { options: ["a", "b"] } : {}) };
    };
    const keys = names.filter((name) => !RESERVED.includes(name) && /^[\w$]+$/.test(name));
    expect(keys).toEqual(expect.arrayContaining(["dataset", "querySelector", "elements", "submit", "action", "name"]));
    fixture = await stageOf(Object.fromEntries(keys.map((key, place) => [key, iparamOf(place)])));
  });
  afterAll(() => fixture.close());

  test("are filled in, stored and shown again without an error on the page", async () => {
    const visit = await fixture.visit();
    const form = formOn(visit.page);
    for (const key of [
      "querySelector",
      "addEventListener",
      "innerHTML",
      "getElementById",
      "elements",
      "dataset",
      "submit",
      "action",
      "name",
      "fetch",
      "location",
    ]) {
      const control = form.field(key).locator("[data-control]");
      const kind = await control.evaluate((node: Element) => `${node.tagName} ${node.getAttribute("type") ?? ""}`);
      if (kind === "INPUT checkbox") await control.check();
      else if (kind.startsWith("SELECT")) await control.selectOption("b");
      else await control.fill("b");
    }
    await form.save();
    await form.notice().getByText(STORED).waitFor();
    expect(visit.errors).toEqual([]);
    expect(new URL(visit.page.url()).pathname).toBe("/custom_configs");
    const values = (await fixture.host.installation())?.values ?? {};
    for (const key of ["querySelector", "elements", "dataset", "submit"]) expect(["b", true]).toContain(values[key]);
    await visit.page.reload();
    await form.save();
    await form.notice().getByText(STORED).waitFor();
    expect((await fixture.host.installation())?.values).toEqual(values);
    await visit.leave();
  });

  test("would shadow a form's own properties inside a form element", async () => {
    const visit = await fixture.visit();
    const isOwn = await visit.page.evaluate(() => {
      const form = document.createElement("form");
      form.replaceChildren(
        ...[...document.querySelectorAll("[data-control]")].map((control) => control.cloneNode(true)),
      );
      return [form.dataset instanceof DOMStringMap, typeof form.querySelector];
    });
    expect(isOwn).toEqual([false, "object"]);
    await visit.leave();
  });

  test("are saved by Enter in a line, and not by Enter in a paragraph", async () => {
    const visit = await fixture.visit();
    const form = formOn(visit.page);
    await visit.page.locator("textarea[data-control]").first().press("Enter");
    await visit.page.locator("input[type=text][data-control]").first().press("Enter");
    await form.notice().getByText(STORED).waitFor();
    await visit.leave();
  });
});

describe("an entry that the browser can't parse and reports as empty is rejected at its field and kept", () => {
  let fixture: InstallFixture;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "parley-keys-"));
    fixture = await stageOf({
      day: { display_name: "Day", type: "date" },
      secret_day: { display_name: "Secret day", type: "date", secure: true },
      count: { display_name: "Count", type: "number" },
      mail: { display_name: "Mail", type: "email" },
      site: { display_name: "Site", type: "url" },
      phone: { display_name: "Phone", type: "phone_number" },
    });
  });
  afterAll(() => fixture.close());

  const DATE_FAULT = "Enter a date as year-month-day, such as 2025-03-31.";
  test.each([
    ["day", "02312025", DATE_FAULT],
    ["day", "0231", DATE_FAULT],
    ["secret_day", "02312025", DATE_FAULT],
    ["count", "12e", "Enter a whole number of at most 10 digits."],
    ["count", "--", "Enter a whole number of at most 10 digits."],
    ["mail", "ann@", "Enter an email address, such as name@example.com."],
    ["site", "example.com", "Enter an address that begins with https:// or http://."],
    ["phone", "12", "Enter a phone number of 7 to 15 digits, such as +1 202 555 0147."],
  ])("%s %s", async (key, typed, fault) => {
    const visit = await fixture.visit();
    const form = formOn(visit.page);
    const control = visit.page.locator(`[id="${key}"]`);
    await control.focus();
    await visit.page.keyboard.type(typed);
    const before = await control.screenshot();
    await form.save();
    await form.notice().getByText("Validation failed.").waitFor();
    expect(await form.errorOf(key).textContent()).toBe(fault);
    expect((await fixture.host.installation())?.values[key] ?? "").toBe("");
    // The rejected save keeps the typed text and only moves the focus.
    await control.focus();
    if (key !== "day" && key !== "secret_day") expect(await control.inputValue()).toBe(typed);
    else expect(await control.evaluate((node: HTMLInputElement) => node.validity.badInput)).toBe(true);
    expect(before.length).toBeGreaterThan(0);
    await visit.leave();
  });

  test("is reported when the field loses the focus, and cleared after its correction", async () => {
    const visit = await fixture.visit();
    const form = formOn(visit.page);
    const day = visit.page.locator("[id=day]");
    await day.focus();
    await visit.page.keyboard.type("02312025");
    await visit.page.locator("[id=count]").focus();
    await form.errorOf("day").getByText(DATE_FAULT).waitFor();
    await day.fill("2025-02-28");
    await form.save();
    await form.notice().getByText(STORED).waitFor();
    expect((await fixture.host.installation())?.values["day"]).toBe("2025-02-28");
    expect(await form.errorOf("day").textContent()).toBe("");
    await visit.leave();
  });
});

afterAll(() => rm(folder, { recursive: true, force: true }));
