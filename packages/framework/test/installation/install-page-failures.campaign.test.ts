import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { IparamsConfig } from "@parley/contract";
import type { Page } from "playwright-core";
import { waitUntil } from "../../../../test/support/wait-until.ts";
import { KEY } from "../support/fake-account.ts";
import {
  fixtureFolder,
  formOn,
  installFixture,
  STORED,
  SUFFIX,
  type InstallForm,
  type InstallFixture,
  type PageVisit,
} from "./install-fixture.ts";

/**
 * The page reports the failure and keeps all entered values in these cases:
 *
 * | failure | test |
 * |---|---|
 * | a callback never ends: pending promise or endless loop | a callback that |
 * | a callback sets ten thousand values | a callback that |
 * | two windows save, or one uninstalls | two windows |
 * | the app is edited while the page is open | an edit |
 * | texts contain markup, defaults are huge | parameters |
 * | the host stops while the page saves | a host that stops |
 */
let folder: string;
let fixture: InstallFixture;
let visit: PageVisit;
let page: Page;
let form: InstallForm;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-breaks-"));
  await cp(fixtureFolder("install-callbacks"), folder, { recursive: true });
  // Default of desktop browsers: a frame with an opaque origin runs in a separate process.
  fixture = await installFixture(folder, { browserArguments: ["--site-per-process"] });
});
afterAll(async () => {
  await fixture.close();
  await rm(folder, { recursive: true, force: true });
});

const open = async (): Promise<[PageVisit, InstallForm]> => {
  const opened = await fixture.visit();
  await opened.page.getByText("Loaded with fine.").waitFor();
  return [opened, formOn(opened.page)];
};
beforeEach(async () => {
  [visit, form] = await open();
  page = visit.page;
});
afterEach(() => visit.leave());

const fillIn = async () => {
  await page.fill("[id=domain]", "acme");
  await form.secret("api_key", KEY);
};
const values = async () => (await fixture.host.installation())?.values ?? {};

describe("a callback that", () => {
  test("with a pending promise is aborted after 20 seconds, and the field can be corrected", async () => {
    await page.clock.install();
    await page.fill("[id=answer]", "never");
    await form.leave();
    await page.clock.runFor(1_000);
    await form.field("answer").getByText("Checking…").waitFor();
    await page.clock.runFor(20_000);
    await form.errorOf("answer").getByText("It did not answer within 20 seconds.").waitFor();
    expect(await page.inputValue("[id=answer]")).toBe("never");
    await page.fill("[id=answer]", "fine");
    await form.leave();
    await page.clock.runFor(1_000);
    await form.waitForCheck("answer");
    expect(await form.errorOf("answer").textContent()).toBe("");
  });

  test("with an endless loop leaves the page usable, and a reopened page works", async () => {
    await page.fill("[id=answer]", "loop");
    await form.leave();
    await form.field("answer").getByText("Checking…").waitFor();
    await page.fill("[id=number]", "many");
    await form.leave();
    await form.errorOf("number").getByText("Enter a whole number").waitFor();
    await visit.leave();
    [visit, form] = await open();
    await visit.page.fill("[id=answer]", "refuse No.");
    await form.errorOf("answer").getByText("No.", { exact: true }).waitFor();
  });

  test("that sets ten thousand values and options ends with the last values and options", async () => {
    await page.fill("[id=answer]", "many 10000");
    await form.errorOf("answer").getByText("value 10000").waitFor();
    expect(await page.inputValue("[id=text]")).toBe("value 10000");
    expect(await form.field("multiselect").getByRole("option").count()).toBe(10_000);
  });
});

describe("two windows", () => {
  const SAVED = "The parameters were saved elsewhere since this page was opened.";

  test("that save one after the other: the second gets a conflict, keeps its entries, and replaces the first on its next save", async () => {
    const [other, otherForm] = await open();
    await fillIn();
    await page.fill("[id=paragraph]", "of the first");
    await form.save();
    await form.notice().getByText(STORED).waitFor();
    await other.page.fill("[id=domain]", "acme");
    await otherForm.secret("api_key", KEY);
    await other.page.fill("[id=paragraph]", "of the second");
    await otherForm.save();
    await otherForm.notice().getByText(SAVED).waitFor();
    expect(await values()).toMatchObject({ paragraph: "of the first" });
    expect(await other.page.inputValue("[id=paragraph]")).toBe("of the second");
    await otherForm.save();
    await otherForm.notice().getByText(STORED).waitFor();
    expect(await values()).toMatchObject({ paragraph: "of the second" });
    await other.leave();
  });

  test("that save concurrently: one succeeds, the other gets a conflict", async () => {
    const [other, otherForm] = await open();
    await page.fill("[id=paragraph]", "one");
    await other.page.fill("[id=paragraph]", "two");
    await Promise.all([form.save(), otherForm.save()]);
    const noticeText = async ({ notice }: InstallForm) =>
      (await notice().getByRole("heading").textContent()) === STORED
        ? STORED
        : notice().locator("[data-part=text]").textContent();
    await Promise.all([form, otherForm].map(async ({ notice }) => notice().waitFor()));
    const [mine = "", others = ""] = await Promise.all([noticeText(form), noticeText(otherForm)]);
    expect([mine, others].filter((text) => text === STORED)).toHaveLength(1);
    expect([mine, others].filter((text) => text?.startsWith(SAVED))).toHaveLength(1);
    expect(await values()).toMatchObject({ paragraph: mine === STORED ? "one" : "two" });
    await other.leave();
  });

  test("of which one uninstalls: the other gets a conflict before it installs again", async () => {
    await fixture.host.install({ domain: "acme", api_key: KEY });
    await page.reload();
    await page.getByText("Loaded with fine.").waitFor();
    await fillIn();
    await fixture.host.uninstall();
    await form.save();
    await form.notice().getByText("The app was uninstalled since this page was opened.").waitFor();
    expect(await fixture.host.installation()).toBeUndefined();
    await form.save();
    await form.notice().getByText(STORED).waitFor();
    expect(await values()).toMatchObject({ domain: `acme${SUFFIX}` });
  });

  test("of which one saves repeatedly: it gets no conflict with itself", async () => {
    await fillIn();
    for (const text of ["a", "b", "c"]) {
      await page.fill("[id=paragraph]", text);
      await form.save();
      await form.notice().getByText(STORED).waitFor();
      expect(await values()).toMatchObject({ paragraph: text });
    }
  });
});

/** Changes the app's parameters and waits until the host has loaded them. */
const edit = async (change: (iparams: IparamsConfig) => IparamsConfig) => {
  const path = join(folder, "config/iparams.json");
  const next = change(JSON.parse(await readFile(path, "utf8")) as IparamsConfig);
  await writeFile(path, JSON.stringify(next));
  const isLive = () => JSON.stringify(fixture.host.project().iparams) === JSON.stringify(next);
  await waitUntil(isLive);
};

describe("an edit of the app", () => {
  test("of a hint or an expression takes effect immediately without disturbing an open page", async () => {
    await fillIn();
    await edit(({ text, ...rest }) => ({
      ...rest,
      text: { ...text, display_name: "Text", type: "text", regex: { short: "^.{0,3}$", "short-error": "Too long." } },
    }));
    await page.fill("[id=text]", "four");
    await form.save();
    await form.notice().getByRole("link", { name: "Text: Too long." }).waitFor();
    await page.fill("[id=text]", "one");
    await form.save();
    await form.notice().getByText(STORED).waitFor();
  });

  test("that adds, removes or secures a parameter is reported before the old page can save", async () => {
    await fillIn();
    await page.fill("[id=paragraph]", "canary of the old page");
    const before = await values();
    await edit(({ paragraph, ...rest }) => ({
      ...rest,
      paragraph: { ...paragraph, display_name: "Paragraph", type: "paragraph", secure: true },
    }));
    for (const _ of [1, 2]) {
      await form.save();
      await form.notice().getByText("The app’s parameters were edited since this page was opened. Reload it").waitFor();
      await form.notice().evaluate((element) => ((element as HTMLElement).hidden = true));
    }
    expect(await values()).toEqual(before);
    await page.reload();
    await page.getByText("Loaded with fine.").waitFor();
    await form.save();
    await form.notice().getByText(STORED).waitFor();
  });
});

describe("parameters", () => {
  const MARKUP = '<img src=x onerror="document.title=\'owned\'"></script><script>document.title="owned"</script>&amp;';

  test("with markup in every text are shown literally", async () => {
    await edit((iparams) => ({
      ...iparams,
      [MARKUP]: { display_name: MARKUP, description: MARKUP, type: "text", default_value: MARKUP },
      "markup-radio": { display_name: MARKUP, type: "radio", options: [MARKUP], default_value: MARKUP },
      "markup-pick": { display_name: "P", type: "dropdown", options: [MARKUP], default_value: MARKUP },
      "markup-lines": { display_name: "L", type: "paragraph", default_value: `</textarea>${MARKUP}` },
    }));
    await page.reload();
    await page.getByText("Loaded with fine.").waitFor();
    const root = page.locator("[data-field]", { has: page.locator(`[name='${MARKUP.replaceAll("'", "\\'")}']`) });
    expect(await root.locator("[data-part=label]").textContent()).toBe(MARKUP);
    expect(await root.locator("[data-part=hint]").textContent()).toBe(MARKUP);
    expect(await root.locator("input").inputValue()).toBe(MARKUP);
    expect(await page.getByRole("radio", { checked: true }).last().inputValue()).toBe(MARKUP);
    expect(await page.inputValue("[id=markup-pick]")).toBe(MARKUP);
    expect(await page.inputValue("[id=markup-lines]")).toBe(`</textarea>${MARKUP}`);
    await page.fill("[id=answer]", `refuse ${MARKUP}`);
    await form.errorOf("answer").getByText(MARKUP, { exact: true }).waitFor();
    expect([await page.locator("img").count(), await page.title()]).toEqual([0, "Callbacks – settings"]);
    await page.fill("[id=answer]", "");
    await form.save();
    await form.notice().getByText(STORED).waitFor();
    expect(await values()).toMatchObject({ [MARKUP]: MARKUP, "markup-radio": MARKUP });
  });

  test("with a default of 600 KB are shown, and saving reports what is too large", async () => {
    const huge = "x".repeat(600_000);
    await edit((iparams) => ({
      ...iparams,
      huge: { display_name: "Huge", type: "paragraph", default_value: huge },
    }));
    await page.reload();
    await page.getByText("Loaded with fine.").waitFor();
    expect((await page.inputValue("[id=huge]")).length).toBe(600_000);
    await form.save();
    await form.notice().getByText("All values together may take 512 KB.").waitFor();
    await page.fill("[id=huge]", "less");
    await form.save();
    await form.notice().getByText(STORED).waitFor();
    expect(await values()).toMatchObject({ domain: `acme${SUFFIX}`, huge: "less" });
  });
});

test("a host that stops during a save has stored everything or nothing, and the page reports that it is unreachable", async () => {
  await page.fill("[id=text]", "one");
  await page.fill("[id=email]", "typed@example.com");
  await form.save();
  const { url } = fixture.host;
  await fixture.host.close();
  await form.notice().waitFor();
  await page.fill("[id=number]", "7");
  await form.save();
  await form.notice().getByText("The app host can't be reached. Is it still running?").waitFor();
  expect(await page.inputValue("[id=email]")).toBe("typed@example.com");
  expect(page.url()).toBe(`${url}/custom_configs`);
  await page.getByRole("button", { name: "Save changes" }).waitFor();
});
