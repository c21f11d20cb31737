/** An instance of the product with a signed-in browser, for pictures of its pages. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { spawn, execFile } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import sharp from "sharp";
import { root } from "../installed.mjs";

const BIN = join(root, "packages/parley/bin/parley.mjs");
const run = promisify(execFile);

export const WIDE = { viewport: { width: 1_440, height: 900 } };

/** A client of one base address. -> `call(method, path, body)`, which resolves to the response. @errors Error with request and response */
const caller = (base, token) => async (method, path, body) => {
  const response = await fetch(base + path, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
};

/**
 * Starts an instance, signs its owner in, passes it to `use`, and ends it.
 * @param launchBrowser of the tests
 * @param options.args more arguments of `parley start`
 * @param options.env more settings
 */
export const withPicturedInstance = async (launchBrowser, use, { args = [], env = {} } = {}) => {
  const data = await mkdtemp(join(tmpdir(), "parley-screenshots-"));
  const environment = {
    ...process.env,
    PARLEY_DATA: data,
    PARLEY_SERVICE_PORT: "0",
    PARLEY_APP_PORT: "0",
    PARLEY_SHOP_PORT: "0",
    PARLEY_CALLS_PER_HOUR: "1000000",
    ...env,
  };
  const child = spawn(process.execPath, [BIN, "start", "--json", ...args], {
    cwd: root,
    env: environment,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  const browser = await launchBrowser();
  const newContext = async (options) => {
    const context = await browser.newContext({ reducedMotion: "reduce", locale: "en-GB", ...options });
    context.setDefaultTimeout(120_000);
    return context;
  };
  /** Runs a command of the product on the instance. -> its output */
  const command = async (...words) =>
    (await run(process.execPath, [BIN, ...words], { cwd: root, env: environment })).stdout;
  try {
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    const { service, token, console: address, messenger } = JSON.parse(line);
    const { origin } = new URL(address);
    let storageState;
    /** Signs the owner in; again after a change of the clock, at which sessions end. */
    const signIn = async () => {
      const context = await newContext({});
      const entry = await context.newPage();
      await entry.goto(JSON.parse(await command("sign-in", "--account", "acme", "--json")).link);
      await entry.getByRole("button", { name: "Sign in" }).click();
      await entry.waitForURL("**/console/**");
      storageState = await context.storageState();
      await context.close();
    };
    await use({
      service,
      token,
      command,
      signIn,
      call: caller(service, token),
      administrate: caller(origin, (await readFile(join(data, "admin-key"), "utf8")).trim()),
      /** Opens the demo shop as a new visitor. @shape time: of the browser's clock */
      async openShop({ time, ...options }) {
        const page = await (await newContext(options)).newPage();
        await page.clock.setFixedTime(time);
        await page.goto(messenger);
        return page;
      },
      /** Opens a page of the console in a browser of its own. @shape path: below the origin */
      async open(path, options = WIDE) {
        if (storageState === undefined) await signIn();
        const context = await newContext({ storageState, ...options });
        const page = await context.newPage();
        await page.goto(origin + path);
        return page;
      },
    });
  } finally {
    await browser.close();
    child.kill("SIGTERM");
    await ended;
    await rm(data, { recursive: true, force: true });
  }
};

/** Saves a picture with a colour palette, which keeps the file small, in docs/images. */
const save = async (picture, name) => {
  const path = join(root, "docs/images", `${name}.png`);
  const { size } = await picture.png({ palette: true, quality: 90, effort: 10 }).toFile(path);
  console.log(`${path}: ${size} bytes`);
};

const screenshotOf = async (page, options) => {
  // Pictures do not show the pointer and elements that appear only for a moment.
  await page.mouse.move(0, 0);
  return page.screenshot(options);
};

/** Saves a screenshot in docs/images. */
export const savePicture = async (page, name, options = {}) => save(sharp(await screenshotOf(page, options)), name);

/** Saves screenshots of two pages of equal height beside each other. @param options.gap pixels between them */
export const savePair = async ([left, right], name, { gap = 24 } = {}) => {
  const pictures = [await screenshotOf(left), await screenshotOf(right)];
  const [first, second] = await Promise.all(pictures.map((picture) => sharp(picture).metadata()));
  const width = first.width + gap + second.width;
  const canvas = sharp({ create: { width, height: first.height, channels: 4, background: "#00000000" } });
  const places = [0, first.width + gap].map((place, index) => ({ input: pictures[index], left: place, top: 0 }));
  await save(canvas.composite(places), name);
};
