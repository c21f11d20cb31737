/** Opens each page of an app in the console with a live conversation, and presses its buttons. */
const SETTLE_MS = 1_500;
const PRESSED = 8;

const text = (error) => (error.message || String(error)).split("\n")[0].slice(0, 300);

/** Waits until the frame's scripts have run. Returns false if the frame is removed meanwhile. */
const isSteady = async (frame) => {
  await frame.waitForLoadState().catch(() => undefined);
  await frame.page().waitForTimeout(SETTLE_MS);
  return !frame.isDetached();
};

/** Prefix of the value of a rejection that is not an Error: the browser reports only "Object". */
const REJECTION = "rejected with ";
const OBJECT = /^(Uncaught \(in promise\) )?(Object|\[object Object\])$/;

/** Makes pages of the context log the values of their rejections. */
export const tellRejections = (context) =>
  context.addInitScript((prefix) => {
    globalThis.addEventListener("unhandledrejection", ({ reason }) => {
      if (typeof reason === "object" && reason !== null && !(reason instanceof Error))
        globalThis.console.debug(prefix + JSON.stringify(reason).slice(0, 300));
    });
  }, REJECTION);

/** Collects the script errors of a page as they occur. */
export const listen = (page) => {
  const errors = [];
  page.on("pageerror", (error) => {
    const message = text(error);
    if (!OBJECT.test(message)) errors.push(message);
  });
  page.on("console", (line) => {
    if (line.text().startsWith(REJECTION)) errors.push(line.text());
  });
  return errors;
};

/** Returns true for a foreground page that shows nothing and opens no dialog: its scripts have had no effect. */
const isBlank = async (frame) => {
  for (const each of frame.page().frames()) if ((await each.locator("dialog[open]").count()) > 0) return false;
  return frame.evaluate(() => {
    const { document, getComputedStyle } = globalThis;
    const { body } = document;
    const isPicture = (element) => element.matches("img, svg, canvas, iframe, input, button, fw-button, video");
    const isPainted = (element, part) => {
      const { backgroundColor, backgroundImage, borderTopWidth, width, height } = getComputedStyle(element, part);
      const hasArea = Number.parseFloat(width) > 0 && Number.parseFloat(height) > 0;
      return hasArea && (backgroundImage !== "none" || borderTopWidth !== "0px" || !/, 0\)$/.test(backgroundColor));
    };
    const shows = (element) =>
      isPicture(element) ||
      (element.checkVisibility() && [undefined, "::before", "::after"].some((part) => isPainted(element, part)));
    return body.innerText.trim() === "" && ![...body.querySelectorAll("*")].some(shows);
  });
};

const press = async (frame, errors) => {
  const before = errors.length;
  const buttons = frame.locator(
    "button:visible, input[type=button]:visible, input[type=submit]:visible, fw-button:visible",
  );
  const count = Math.min(await buttons.count(), PRESSED);
  for (let index = 0; index < count; index += 1) {
    const button = buttons.nth(index);
    await button.click({ timeout: 1_000, noWaitAfter: true }).catch(() => undefined);
    await frame.page().waitForTimeout(400);
    await frame
      .page()
      .keyboard.press("Escape")
      .catch(() => undefined);
    if (frame.isDetached()) break;
  }
  return { count, errors: errors.splice(before) };
};

const pressSteps = async (frame, errors, step) => {
  const pressed = await press(frame, errors);
  if (pressed.count === 0) return [];
  const reason = [...new Set(pressed.errors)].join(" | ");
  return [{ step: `${step}, ${pressed.count} buttons`, ok: reason === "", ...(reason && { reason }) }];
};

const FIRST_FRAME_MS = 4_000;

/** Opens an address of the console, again until it lists the app: it reads the list some seconds after an installation. */
const openInConsole = async (page, address, tries = 8) => {
  await page.goto(address);
  const isShown = await page
    .locator("iframe")
    .first()
    .waitFor({ state: "attached", timeout: FIRST_FRAME_MS })
    .then(
      () => true,
      () => false,
    );
  if (!isShown && tries > 1) await openInConsole(page, address, tries - 1);
};

/** Returns a step for opening the page and one for its use. @shape app: address of the app in the console; check: replaces pressing the page's buttons */
export const openPlace = async (context, { app, id, place, url, conversation, picture, check }) => {
  const page = await context.newPage();
  const errors = listen(page);
  const step = `page ${id}`;
  try {
    await openInConsole(page, `${app}/${encodeURIComponent(id)}?conversation=${conversation}`);
    const file = url.replace(/^\.?\//, "").split(/[?#]/)[0];
    const end = performance.now() + 15_000;
    const find = () => page.frames().find((frame) => frame.url().includes(`/app/${file}`));
    while (!find() && performance.now() < end) await page.waitForTimeout(100);
    let frame = find();
    // The host page may replace the frame after it has read the conversation.
    while (frame && !(await isSteady(frame))) frame = find();
    if (!frame) return [{ step, ok: false, reason: `${url} was not opened: ${errors.join(" | ")}` }];
    await picture?.(page, place);
    const opened = errors.splice(0);
    if (opened.length > 0) return [{ step, ok: false, reason: [...new Set(opened)].join(" | ") }];
    if (!/background/.test(place) && (await isBlank(frame)))
      return [{ step, ok: false, reason: "the page shows nothing" }];
    if (check) {
      const saw = await check({ frame, page }).catch((error) => ({ reason: text(error) }));
      const use = `${step}, used`;
      return [
        { step, ok: true },
        saw.reason ? { step: use, ok: false, reason: saw.reason } : { step: use, ok: true, saw },
      ];
    }
    return [{ step, ok: true }, ...(await pressSteps(frame, errors, step))];
  } catch (error) {
    return [{ step, ok: false, reason: text(error) }];
  } finally {
    await page.close();
  }
};
