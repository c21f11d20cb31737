import { spawn } from "node:child_process";
import { mkdir, readdir, readFile, readlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from "@jest/globals";
import { familyOf, ROOT, run, temporaryFolder } from "../support/parley-process.ts";
import { waitUntil } from "../support/wait-until.ts";

/** `npm run compat`, as docs/app-authors/compatibility.md shows it. */

jest.setTimeout(180_000);

/** An app with a page, an event and a function. @shape path from its folder, and text */
const APP = {
  "manifest.json": JSON.stringify({
    "platform-version": "3.0",
    modules: {
      common: { functions: { greet: {} }, events: { onAppInstall: { handler: "install" } } },
      chat_conversation: {
        location: { conversation_user_info: { url: "index.html", icon: "icon.svg" } },
        events: { onMessageCreate: { handler: "count" } },
      },
    },
    engines: { node: "20.0.0", fdk: "9.0.0" },
  }),
  "app/index.html": `<html><head>{{{appclient}}}</head><body><button>Greet</button></body></html>`,
  "app/icon.svg": `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1"/></svg>`,
  "config/iparams.json": JSON.stringify({ city: { display_name: "City", type: "text", required: true } }),
  "server/server.js": `exports = {
  install: function () { renderData(); },
  count: function () {},
  greet: function (args) { renderData(null, { city: args.iparams.city }); },
};`,
};

/** An app whose installation page names a script that is missing: it can be installed all the same. @shape as APP */
const APP_WITH_PAGE = {
  "manifest.json": JSON.stringify({
    "platform-version": "3.0",
    modules: { common: { events: { onAppInstall: { handler: "install" } } }, chat_conversation: {} },
    engines: { node: "20.0.0", fdk: "9.0.0" },
  }),
  "config/iparams.html": `<html><head>{{{appclient}}}<script src="./assets/gone.js"></script></head><body><input id="city">
<script>
  const postConfigs = () => ({ __meta: { secure: [] }, city: document.querySelector("#city").value });
  const getConfigs = ({ city }) => { document.querySelector("#city").value = city; };
</script></body></html>`,
  "server/server.js": "exports = { install: function () { renderData(); } };",
};

let apps: { folder: string; remove: () => Promise<void> };
/** Folder for everything that a command writes, so that what it leaves is found. */
let scratch: { folder: string; remove: () => Promise<void> };
let command: readonly string[];

beforeAll(async () => {
  apps = await temporaryFolder("compat-apps-");
  for (const [name, files] of Object.entries({ greeter: APP, "own-page": APP_WITH_PAGE }))
    for (const [path, text] of Object.entries(files)) {
      const file = join(apps.folder, name, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
  const page = await readFile(join(ROOT, "docs/app-authors/compatibility.md"), "utf8");
  const [, documented = ""] = /^```\n(npm run compat -- .*)\n```$/m.exec(page) ?? [];
  command = documented
    .replace("path/to/app", join(apps.folder, "greeter"))
    .replace(/ path\/to\/package.zip$/, "")
    .split(" ");
});
beforeEach(async () => {
  scratch = await temporaryFolder("compat-");
});
afterEach(() => scratch.remove());
afterAll(() => apps.remove());

/** Ids of processes that work in a folder, such as a `parley serve`, its workers and its database. */
const processesIn = async (folder: string): Promise<string[]> => {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const places = await Promise.all(ids.map((id) => readlink(`/proc/${id}/cwd`).catch(() => "")));
  return ids.filter((_id, index) => places[index]?.startsWith(folder));
};

test("npm run compat tests apps' packages, installations, pages, events and functions, and leaves nothing behind", async () => {
  const { status, stdout, stderr } = await run([...command, join(apps.folder, "own-page")], {
    env: { TMPDIR: scratch.folder },
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const steps = [...stdout.matchAll(/^ {2}(\w+) +(.*)$/gm)].map(([, mark, step]) => `${step} ${mark}`);
  expect(steps).toEqual([
    ...["validate worked", "pack worked", "publish worked", "install worked"],
    "page chat_conversation.conversation_user_info worked",
    "page chat_conversation.conversation_user_info, 1 buttons worked",
    ...["event onAppInstall worked", "event chat_conversation.onMessageCreate worked", "function greet worked"],
    ...["validate worked", "pack worked", "publish worked", "install worked", "event onAppInstall worked"],
  ]);
  expect(stdout).toMatch(/^2 apps: 2 complete, 0 with failures that are not Parley's, 0 failed$/m);
  expect([await processesIn(scratch.folder), await readdir(scratch.folder)]).toEqual([[], []]);
});

test("npm run compat that fails after the start of its service ends the service and says why", async () => {
  const env = { TMPDIR: scratch.folder, BROWSER_PATH: join(scratch.folder, "no-browser") };
  const { status, stderr } = await run(command, { env });
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^compat: .*no-browser/)]);
  expect([await processesIn(scratch.folder), await readdir(scratch.folder)]).toEqual([[], []]);
});

/** Id of the process of a command that runs a script. */
const processOf = async (pid: number, script: string): Promise<number> => {
  for (const id of await familyOf(pid))
    if ((await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")).includes(script)) return id;
  throw new Error(`${script} does not run`);
};

test.each([
  ["SIGTERM", "npm"],
  ["SIGKILL", "npm"],
  ["SIGKILL", "scripts/compat.mjs"],
] as const)("after %s to the process of %s nothing that npm run compat started goes on", async (signal, script) => {
  const [file = "", ...args] = command;
  const child = spawn(file, args, {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: scratch.folder, DATABASE_URL: "" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  await waitUntil(() => output.includes("validate"), { details: () => output });
  const pid = child.pid ?? 0;
  const family = await familyOf(pid);
  process.kill(script === "npm" ? pid : await processOf(pid, script), signal);
  const isAlive = (id: number) => readFile(`/proc/${id}/cmdline`, "utf8").then(Boolean, () => false);
  await waitUntil(async () => !(await Promise.all(family.map(isAlive))).includes(true));
  // A process that was started after the family was listed ends a moment later.
  await waitUntil(async () => (await processesIn(scratch.folder)).length === 0);
});
