import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { waitUntil } from "../support/wait-until.ts";
import { ROOT } from "../support/parley-process.ts";
import { sampleRows } from "../support/campaign.ts";
import { COMPILATIONS, COMPILER_PACKAGES, compile, type Compiler } from "./compile.ts";
import { installedFolder, type UserFolder } from "./installed-release.ts";

/** The test harness and the types of `@parley/framework`, as an app's author installs them. */

/** Examples of the README, by the file that each names. */
const EXAMPLES: Readonly<Record<string, string>> = Object.fromEntries(
  [...readFileSync(join(ROOT, "packages/framework/README.md"), "utf8").matchAll(/```\w+ (\S+)\n([\s\S]*?)```/g)].map(
    ([, file = "", code = ""]) => [file, code],
  ),
);

let user: UserFolder;
beforeAll(async () => {
  const others = ["jest@30", "@swc/jest", "@swc/core", "@types/node@20", ...COMPILER_PACKAGES];
  user = await installedFolder(["@parley/framework", "@parley/parley"], others);
}, 300_000);
afterAll(() => user.remove());

const RIGHT = `exports = { onMessageCreateHandler: async ({ data }) => { await $db.set("last", { id: data.message.conversation_id }); }, countUp: ({ step }) => renderData(null, { next: step + 1 }) };`;
const WRONG = `exports = { onMessageCreateHandler: async () => { throw new Error("a defect of the app"); }, countUp: () => renderData({ status: 500, message: "a defect" }) };`;

/** Writes an app of the author in a folder of its own. @shape files: further files, by name */
function writeApp(name: string, server: string, files: Readonly<Record<string, string>>): string {
  const events = { onMessageCreate: { handler: "onMessageCreateHandler" } };
  const modules = { common: { functions: { countUp: {} } }, chat_conversation: { events } };
  const manifest = { "platform-version": "3.0", modules, engines: { node: "20.19.0" } };
  const written = {
    "manifest.json": JSON.stringify(manifest),
    "server/server.js": server,
    "config/iparams.json": "{}",
    ...files,
  };
  for (const [file, text] of Object.entries(written)) user.write(`${name}/${file}`, text);
  return join(user.folder, name);
}

/** Command lines of processes of the folder's user that work in the folder or below. */
const processesIn = (folder: string): readonly string[] =>
  readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")];
      } catch {
        return [];
      }
    })
    .filter((line) => line.includes(folder));

/** Waits until no process of the app is left; a process that ends takes a moment. */
async function expectNoProcess(folder: string): Promise<void> {
  await waitUntil(() => processesIn(folder).length === 0, { details: () => processesIn(folder).join("\n") });
}

const HOOKS = (all: string, each: string, end: string) => `
let w;
${all}(async () => { w = await world({ folder: process.cwd() }); }, 60_000);
${each}(() => w.reset());
${end}(() => w.close());
`;
const BODY = (equal: string) => `
test("the app's handlers work", async () => {
  const { ok } = await w.event("onMessageCreate");
  const { output } = await w.function("countUp", { step: 1 });
  ${equal}
});
`;
const JEST_BODY =
  HOOKS("beforeAll", "beforeEach", "afterAll") + BODY("expect([ok, output]).toEqual([true, { next: 2 }]);");
const NODE_BODY = HOOKS("before", "beforeEach", "after") + BODY("assert.deepEqual([ok, output], [true, { next: 2 }]);");
const IMPORT = `import { world } from "@parley/framework/testing";\n`;
const REQUIRE = `const { world } = require("@parley/framework/testing");\n`;
const NODE_IMPORT = `import assert from "node:assert/strict";\nimport { after, before, beforeEach, test } from "node:test";\n`;
const NODE_REQUIRE = `const assert = require("node:assert/strict");\nconst { after, before, beforeEach, test } = require("node:test");\n`;

const JEST = ["node", "../node_modules/jest/bin/jest.js"];
const TYPESCRIPT_JEST = JSON.stringify({
  jest: { transform: { "\\.ts$": "@swc/jest" }, testMatch: ["**/test/*.test.ts"] },
});
interface Runner {
  readonly title: string;
  readonly name: string;
  readonly file: string;
  readonly text: string;
  readonly command: readonly string[];
  /** The app's package.json. */
  readonly about?: string;
}
const RUNNERS: readonly Runner[] = [
  { title: "Jest, CommonJS", name: "jest-cjs", file: "test/app.test.js", text: REQUIRE + JEST_BODY, command: JEST },
  {
    ...{ title: "Jest, ES modules", name: "jest-esm", file: "test/app.test.mjs", text: IMPORT + JEST_BODY },
    command: ["node", "--experimental-vm-modules", ...JEST.slice(1), "--testMatch", "**/*.test.mjs"],
  },
  {
    ...{ title: "Jest, TypeScript", name: "jest-ts", file: "test/app.test.ts", command: JEST },
    text: (IMPORT + JEST_BODY).replace("let w;", "let w: Awaited<ReturnType<typeof world>>;"),
    about: TYPESCRIPT_JEST,
  },
  {
    ...{ title: "node --test, CommonJS", name: "node-cjs", file: "test/app.test.cjs" },
    ...{ text: NODE_REQUIRE + REQUIRE + NODE_BODY, command: ["node", "--test", "test/"] },
  },
  {
    ...{ title: "node --test, ES modules", name: "node-esm", file: "test/app.test.mjs" },
    ...{ text: NODE_IMPORT + IMPORT + NODE_BODY, command: ["node", "--test", "test/"] },
  },
  {
    title: "npx parley test",
    name: "parley-test",
    file: "test/app.test.mjs",
    text: IMPORT + JEST_BODY,
    command: ["npx", "parley", "test"],
  },
  {
    ...{ title: "npm test with parley test", name: "npm-test", file: "test/app.test.mjs", text: IMPORT + JEST_BODY },
    ...{ command: ["npm", "test"], about: JSON.stringify({ scripts: { test: "parley test" } }) },
  },
];

test.each(sampleRows(RUNNERS, 2))(
  "$title: an app's tests pass, fail when the app is wrong, and leave no process",
  async ({ name, file, text, command, about }) => {
    const files = { [file]: text, ...(about && { "package.json": about }) };
    const right = writeApp(`${name}-right`, RIGHT, files);
    const wrong = writeApp(`${name}-wrong`, WRONG, files);
    const passed = await user.run(command, { cwd: right });
    expect({ status: passed.status, output: passed.status === 0 ? "" : passed.stdout + passed.stderr }).toEqual({
      ...{ status: 0, output: "" },
    });
    await expectNoProcess(right);
    const failed = await user.run(command, { cwd: wrong });
    expect(failed.stdout + failed.stderr).toContain("the app's handlers work");
    expect(failed.status).toBe(1);
    await expectNoProcess(wrong);
  },
  180_000,
);

test.each([
  ["test/app.test.mjs", ["node", "--test", "test/"]],
  ["jest/app.test.cjs", [...JEST, "--testMatch", "**/jest/*.test.cjs"]],
])(
  "the README's example %s runs as it is",
  async (file, command) => {
    const folder = writeApp(`readme-${file.split("/")[0]}`, RIGHT, { [file]: EXAMPLES[file] ?? "" });
    await user.succeed(command, { cwd: folder });
    await expectNoProcess(folder);
  },
  120_000,
);

test("without @parley/parley, world() says what to install", async () => {
  const lonely = await installedFolder(["@parley/framework"]);
  try {
    lonely.write("start.cjs", `${REQUIRE}world().catch((error) => console.log(error.message));`);
    const output = await lonely.succeed(["node", "start.cjs"]);
    expect(output).toContain("@parley/parley is not installed");
    expect(output).toContain("npm install --save-dev <file>");
  } finally {
    await lonely.remove();
  }
});

const TYPED_TESTS = `
import { CallRefused, world, type World, type WorldOptions } from "@parley/framework/testing";

const options: WorldOptions = { folder: ".", iparams: { name: "Ada" }, maps: { "api.example.com": "http://localhost:4000" } };
export async function run(): Promise<void> {
  const w: World = await world(options);
  const user = await w.api.users.createUser({ body: { first_name: "Ann" } });
  const id: string = user.id;
  const { ok, requests } = await w.event("onMessageCreate", { data: {} });
  const passed: boolean = ok && requests.length === 0;
  const invocations = await w.invocations({ event: "onMessageCreate", ok: true });
  const error: string | undefined = invocations[0]?.error;
  await w.clock.advance("1d");
  await w.fault({ endpoint: "POST /v2/users", kind: "status", status: 503, times: 2 });
  const back: () => Promise<void> = await w.snapshot("name");
  await back();
  try { await w.api.get("/users/nobody"); } catch (e) { if (e instanceof CallRefused) console.log(e.code, id, passed, error); }
  // @ts-expect-error: params are required
  await w.api.users.getUser({});
  // @ts-expect-error: a member of the wrong type
  await w.api.users.createUser({ body: { first_name: 5 } });
  // @ts-expect-error: no such option
  await world({ directory: "." });
  // @ts-expect-error: no such kind
  await w.fault({ kind: "explosion" });
  await w.close();
}
`;

const TYPED_HANDLERS = `${EXAMPLES["server/typed.ts"]}
export async function wrong(): Promise<void> {
  // @ts-expect-error: no such event
  const other: EventHandler<"onMessageCreated"> = () => undefined;
  // @ts-expect-error: a key is text
  await $db.get(5);
  // @ts-expect-error: a template has a name
  await $request.invokeTemplate();
  console.log(other);
}
`;

test.each(sampleRows(COMPILATIONS, 1))(
  "$title: right tests and handlers compile, and wrong tests and handlers don't",
  async (compilation) => {
    const complaints = [
      await compile(user, { ...compilation, platform: "node", source: TYPED_TESTS }),
      await compile(user, { ...compilation, platform: "browser", source: TYPED_HANDLERS }),
    ];
    expect(complaints).toEqual(["", ""]);
  },
  120_000,
);

test.each(sampleRows(["5.9.3", "6.0.3", "7.0.2"] satisfies readonly Compiler[], 1))(
  "beside the installed packages, TypeScript %s finds nothing wrong in a new app of each template, and finds a mistake in it",
  async (compiler) => {
    const folder = `templates-${compiler}`;
    const cwd = user.makeFolder(folder);
    const { templates } = JSON.parse(await user.succeed(["npx", "parley", "init", "--list", "--json"], { cwd })) as {
      templates: readonly { readonly name: string }[];
    };
    // The bundler's template brings packages of its own, with which the tests of the templates compile it.
    for (const { name } of templates.filter(({ name }) => name !== "bundler")) {
      await user.succeed(["npx", "parley", "init", name, "--template", name], { cwd });
      const app = join(cwd, name);
      const config = existsSync(join(app, "jsconfig.json")) ? "jsconfig.json" : "tsconfig.json";
      const check = [
        "node",
        join(user.folder, `node_modules/typescript-${compiler}/bin/tsc`),
        "--noEmit",
        "-p",
        config,
      ];
      const { stdout, stderr } = await user.run(check, { cwd: app });
      expect([name, stdout + stderr]).toEqual([name, ""]);
      user.write(`${folder}/${name}/server/wrong.ts`, "export const wrong = () => renderData(5);\n");
      const refused = await user.run(check, { cwd: app });
      expect([name, refused.stdout]).toEqual([name, expect.stringMatching(/^server\/wrong\.ts\(1,.*TS2345/)]);
    }
  },
  120_000,
);
