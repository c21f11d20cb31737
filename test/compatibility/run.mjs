/** Runs public apps on this framework: validated, installed through their page in a browser, opened, called. */
import { spawn, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL, fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { build as buildPackages } from "../../scripts/build.mjs";
import { APPS, until } from "./apps.mjs";
import { HOSTS, startStandIn } from "./stand-in.mjs";
import { pageOf } from "./page.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const BIN = join(root, "packages/parley/bin/parley.mjs");
const HELP = `node test/compatibility/run.mjs [name …] [--from <folder>] [--pictures <folder>] [--write]

Runs public apps unchanged: each is copied, validated, run, installed through its page, opened beside a conversation, used.
--from      a folder with clones of the repositories, named <owner>+<name>; else git brings them into a temporary folder
--pictures  a folder for a picture of each installation page and each place
--write     writes docs/compatibility.md, when all of them ran as described
Exit status 0: all ran as described; 1: one did not.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: "string" },
    pictures: { type: "string" },
    write: { type: "boolean" },
    help: { type: "boolean" },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const base = mkdtempSync(join(tmpdir(), "parley-compatibility-"));
const cloned = new Map();
const folderOf = (repository) => {
  const name = repository.replace("/", "+");
  if (values.from) return join(values.from, name);
  if (!cloned.has(name)) {
    const { status } = spawnSync(
      "git",
      ["clone", "-q", "--depth", "1", `https://github.com/${repository}`, join(base, name)],
      {
        stdio: "inherit",
      },
    );
    if (status !== 0) throw new Error(`${repository} can't be brought by git: see its lines above`);
    cloned.set(name, join(base, name));
  }
  return cloned.get(name);
};

const command = (args, cwd, env) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [BIN, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"]) child[name].on("data", (chunk) => (said[name] += chunk));
    child.once("close", (status) => resolve({ status, ...said }));
  });

/** `parley run` in the app's folder. -> its line of JSON, and `stop`. */
const start = async (folder, env, maps) => {
  const child = spawn(process.execPath, [BIN, "run", "--json", ...maps.flatMap((map) => ["--map", map])], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  let said = "";
  child.stderr.on("data", (chunk) => (said += chunk));
  const line = await new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\n")) resolve(text.split("\n")[0]);
    });
    ended.then((status) => reject(new Error(`parley run ended with ${status}: ${said}${text}`)));
  });
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  return { ...JSON.parse(line), stop, said: () => said };
};

const { outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: ["packages/framework/test/browser.ts"],
  bundle: true,
  write: false,
  format: "esm",
  platform: "node",
  packages: "external",
});
const browserModule = join(root, "packages/framework/dist/browser.mjs");
await buildPackages();
writeFileSync(browserModule, outputFiles[0].contents);
const { launchBrowser } = await import(pathToFileURL(browserModule).href);

/** Libraries that pages load from elsewhere, by the end of their address; what isn't here fails at once, as offline. */
const LIBRARIES = { "handlebars.min.js": "handlebars/dist/handlebars.min.js" };
const routeOutside = (page) =>
  page.route(/^https?:\/\/(?!(?:[\w.-]+\.)?localhost|127\.)/, (route) => {
    const name = new URL(route.request().url()).pathname.split("/").at(-1);
    const path = Object.hasOwn(LIBRARIES, name) ? join(root, "node_modules", LIBRARIES[name]) : undefined;
    return path ? route.fulfill({ path }) : route.abort();
  });

const picture = (page, name) =>
  values.pictures
    ? page.screenshot({ path: join(values.pictures, `${name.replaceAll("/", "-")}.png`), fullPage: true })
    : undefined;

/** A customer's conversation on the live service. -> its id */
const converse = async ({ service, token }) => {
  const call = async (method, path, body) => {
    const answer = await fetch(service + path, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return answer.json();
  };
  const { channels } = await call("GET", "/channels");
  const { id } = await call("POST", "/users", { first_name: "Sam", email: "sam@example.com" });
  const messages = [{ actor_type: "user", actor_id: id, message_parts: [{ text: { content: "Where is my order?" } }] }];
  const made = await call("POST", "/conversations", { channel_id: channels[0].id, users: [{ id }], messages });
  return made.conversation_id;
};

const fillIn = async (page, values) => {
  for (const [key, value] of Object.entries(values)) {
    const field = page.locator(`[id="${key}"]`);
    await field.fill(value);
    await field.blur();
  }
};

const install = async (browser, app, running) => {
  const page = await browser.newPage();
  await routeOutside(page);
  await page.goto(running.installPage);
  if (app.own) {
    const frame = await until("the app's own page", () =>
      page.frames().find((each) => each !== page.mainFrame() && each.url() !== "about:blank"),
    );
    await frame.waitForLoadState();
    await app.own({ page, frame });
  } else {
    if (app.wrong) {
      await fillIn(page, { [app.wrong.key]: app.wrong.value });
      await until(`'${app.wrong.says}'`, () => page.getByText(app.wrong.says).first().isVisible());
    }
    await fillIn(page, app.fill(running));
  }
  await page
    .getByRole("button", { name: /^(install|save)/i })
    .first()
    .click();
  const outcome = await until("the page's answer", async () => {
    const text = await page.locator("body").innerText();
    if (/successfully/i.test(text)) return "installed";
    return /Validation failed|can't be read|failed/i.test(text) ? text : false;
  });
  await picture(page, `${app.name}-page`);
  await page.close();
  return outcome;
};

const runOne = async (app, browser) => {
  const standIn = await startStandIn();
  const folder = join(base, "run", app.name.replaceAll("/", "-"));
  cpSync(join(folderOf(app.repository), app.path), folder, {
    recursive: true,
    filter: (path) => !/[\\/](node_modules|\.git)$/.test(path),
  });
  const env = { ...process.env, PARLEY_SERVICE_PORT: "0", PARLEY_APP_PORT: "0" };
  for (const name of ["DATABASE_URL", "PARLEY_DATA"]) delete env[name];
  const validated = await command(["validate", "--json"], folder, env);
  const { findings } = JSON.parse(validated.stdout);
  const running = await start(
    folder,
    env,
    HOSTS.map((host) => `${host}=${standIn.origin}`),
  );
  try {
    standIn.serves(new URL(running.service).origin);
    const conversation = await converse(running);
    const outcome = await install(browser, app, running);
    if (app.installs === false) return { findings, installed: outcome === "installed", saw: outcome };
    if (outcome !== "installed") throw new Error(`not installed: ${outcome}`);
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await routeOutside(page);
    await page.goto(`${running.app}/?place=${app.place}&conversation=${conversation}`);
    const frame = await until("the app's page", () => page.frames().find((each) => each.url().includes(app.page)));
    const logs = async () =>
      (await command(["logs", "--json"], folder, env)).stdout
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    const saw = await app
      .check({ frame, page, heard: standIn.heard, logs, command: (args) => command(args, folder, env) })
      .finally(() => picture(page, `${app.name}-place`));
    await page.close();
    return { findings, installed: true, saw };
  } catch (error) {
    const { stdout } = await command(["logs"], folder, env);
    error.message += `\n${stdout}${running.said().split("\n").slice(-12).join("\n")}`;
    throw error;
  } finally {
    await running.stop();
    await standIn.close();
  }
};

const browser = await launchBrowser();
const rows = [];
let failed = 0;
for (const app of APPS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  try {
    const row = await runOne(app, browser);
    rows.push({ ...app, ...row });
    console.log(`ok      ${app.name}: ${row.saw}`);
    for (const { level, file, line, message } of row.findings)
      console.log(`        ${level} ${file}${line ? `:${line}` : ""}: ${message}`);
  } catch (error) {
    failed += 1;
    console.log(`failed  ${app.name}: ${error.message}`);
  }
}
await browser.close();
rmSync(base, { recursive: true, force: true });
if (values.write && failed === 0 && rows.length === APPS.length) {
  writeFileSync(join(root, "docs/compatibility.md"), pageOf(rows, new Date().toISOString().slice(0, 10)));
  console.log("docs/compatibility.md is written");
}
console.log(`${rows.length} ran, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
