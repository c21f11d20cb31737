/** Fills in an installation page as an admin does, and authorizes the app's OAuth connections. */
import { until } from "./command.mjs";
import { listen } from "./pages.mjs";

const OUTCOME_MS = 60_000;

/** Selects the first option of each empty list and radio group. */
const choose = (page) =>
  page.evaluate(() => {
    const { document, Event } = globalThis;
    const tell = (field) => {
      for (const type of ["input", "change", "blur"]) field.dispatchEvent(new Event(type, { bubbles: true }));
    };
    for (const list of document.querySelectorAll("select")) {
      if (list.value !== "" || list.disabled) continue;
      const option = [...list.options].find(({ value, disabled }) => value !== "" && !disabled);
      if (option) {
        option.selected = true;
        tell(list);
      }
    }
    const radios = new Map();
    for (const one of document.querySelectorAll("input[type=radio]"))
      radios.set(one.name, [...(radios.get(one.name) ?? []), one]);
    for (const group of radios.values())
      if (!group.some(({ checked }) => checked)) {
        group[0].checked = true;
        tell(group[0]);
      }
  });

const TYPED = { email: "ada@example.com", number: "1", tel: "+14155552671", url: "https://acme.freshdesk.com" };

/** Returns a suitable text for a field, by its label, placeholder, class and id. */
const textFor = (hints) => {
  const [host] =
    /\b\w+\.(freshdesk|freshservice|freshsales|freshteam|freshchat|myfreshworks)\.(com|io)\b/.exec(hints) ?? [];
  if (/mail/i.test(hints)) return TYPED.email;
  if (host) return host.replace(/^\w+/, "acme");
  if (/sub-?domain/i.test(hints)) return "acme";
  if (/url/i.test(hints)) return TYPED.url;
  if (/domain/i.test(hints)) return "acme.freshdesk.com";
  return "acme";
};

/** Fills fields of the component library that custom pages use. Their text is a property. */
const fillComponents = async (frame) => {
  for (const field of await frame.locator("fw-input, fw-textarea").all()) {
    const hints = await field.evaluate((one) =>
      [one.label, one.placeholder, one.className, one.id, one.name].join(" "),
    );
    await field.evaluate((one, value) => (one.value ||= value), textFor(hints));
  }
};

/** Fills every empty field of a custom page. @shape fields: texts of some fields, by selector */
const fillOwn = async (frame, fields) => {
  for (const [selector, value] of Object.entries(fields))
    await frame.locator(selector).evaluate((one, text) => (one.value = text), value);
  for (const field of await frame.locator("input:visible, textarea:visible").all()) {
    const type = (await field.getAttribute("type")) ?? "text";
    if (["checkbox", "radio", "button", "submit", "hidden", "file", "color", "range"].includes(type)) continue;
    if ((await field.inputValue()) !== "") continue;
    const hints = await field.evaluate((one) => [one.placeholder, one.className, one.id, one.name].join(" "));
    await field.fill(TYPED[type] ?? textFor(hints), { timeout: 2_000 }).catch(() => undefined);
  }
  await fillComponents(frame);
  for (const list of await frame.locator("select:visible").all())
    await list.selectOption({ index: 1 }, { timeout: 2_000 }).catch(() => undefined);
};

/** Presses the buttons with which a custom page validates its fields before saving. */
const lookOver = async (frame) => {
  const name = /validate|verify|check|connect|authenticate|log ?in|fetch|submit|save/i;
  for (const button of await frame.getByRole("button", { name }).all())
    await button.click({ timeout: 2_000 }).catch(() => undefined);
  await frame.page().waitForTimeout(500);
};

export const HOST_OF_GRANTS = "grants.example.com";

/** Enters the app's OAuth client credentials if the page asks for them first. */
const beforeGrant = async (tab) => {
  const button = tab.locator("form button").first();
  if ((await button.count()) === 0) return;
  for (const field of await tab.locator("form input:visible").all()) {
    if ((await field.inputValue()) !== "") continue;
    const hints = await field.evaluate((one) => [one.name, one.id].join(" "));
    await field.fill(/host|(?<!sub[-_]?)domain/i.test(hints) ? HOST_OF_GRANTS : "acme");
  }
  await button.click();
  await tab.waitForURL(/[?&]code=/);
};

/** Authorizes each connection in the tab that its link opens. The fake service redirects the browser back immediately. */
const connect = async (page) => {
  const rows = page.locator("[data-connection]:has(a)");
  for (let index = 0; index < (await rows.count()); index += 1) {
    const row = rows.nth(index);
    const [tab] = await Promise.all([page.context().waitForEvent("page"), row.locator("a").click()]);
    await tab.waitForLoadState();
    await beforeGrant(tab);
    const pageText = (await tab.locator("body").innerText()).slice(0, 200);
    await tab.close();
    await page.bringToFront();
    // A headless window receives no focus event.
    await page.evaluate(() => globalThis.dispatchEvent(new globalThis.Event("focus")));
    await until(`the connection's state after "${pageText}"`, async () =>
      /\bconnected\b/.test((await row.getAttribute("class")) ?? ""),
    );
  }
};

/** Returns the frame of a custom installation page, or undefined if the page is generated from the parameters. */
const ownFrame = async (page) => {
  const own = page.locator("iframe[data-own]");
  return (await own.count()) > 0 ? (await own.elementHandle())?.contentFrame() : undefined;
};

/**
 * Opens the installation page, fills it in, and installs the app.
 * @shape values: by parameter key; fields: texts in a custom installation page, by selector
 * Returns the page's error message, or undefined on success.
 */
export const install = async (context, { installPage, values, fields = {}, picture }) => {
  const page = await context.newPage();
  const pageMessages = listen(page);
  await page.goto(installPage);
  const isThere = () => page.locator("form, iframe").first().waitFor({ state: "attached" });
  await isThere();
  await connect(page);
  // Reloads the data that the page requests with the new connection.
  await page.reload();
  await isThere();
  await page.waitForTimeout(500);
  const frame = await ownFrame(page);
  if (frame) {
    await frame.waitForLoadState();
    await fillOwn(frame, fields);
    await lookOver(frame);
    // What a first step shows.
    await lookOver(frame);
  } else {
    for (const [key, value] of Object.entries(values)) {
      const field = page.locator(`[id="${key}"]`);
      if ((await field.count()) === 0) continue;
      await field.fill(String(value), { timeout: 5_000 });
      await field.blur();
    }
    await choose(page);
  }
  // The app's callbacks may still change the required fields.
  await page.waitForTimeout(500);
  await choose(page);
  await picture?.(page, "page");
  await page
    .getByRole("button", { name: /^(install|save)/i })
    .first()
    .click();
  const textIn = async (selector) => {
    const texts = await page.locator(selector).allInnerTexts();
    return texts.join(" ").replace(/\s+/g, " ").trim();
  };
  const outcome = await until(
    "the answer of the installation page",
    async () => {
      const result = await textIn("[data-notice]:visible");
      if (/successfully/i.test(result)) return "installed";
      // An error of the app's own page may stand there before the save, and does not prevent it.
      return result !== "" && `refused: ${result} ${await textIn("[data-trouble]:visible")}`.trim();
    },
    OUTCOME_MS,
  ).catch(async (error) => `${error.message}. ${(await page.locator("body").innerText()).slice(-300)}`);
  await page.close();
  return outcome === "installed" ? undefined : [outcome, ...pageMessages].join(" | ");
};
