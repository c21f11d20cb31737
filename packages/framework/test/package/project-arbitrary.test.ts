import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import { MODULES, PLATFORM_VERSIONS } from "@parley/contract";
import { createBundler } from "../../src/package/bundler/bundler.ts";
import { loadProject, type Inspect, type ProjectTools } from "../../src/package/load/load.ts";
import { RULES } from "../../src/model/rules.ts";
import { findBoundary } from "../../src/sandbox/boundary.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-anything-"));
  await mkdir(join(folder, "config"));
  noCode = { inspect, bundler: createBundler(await findBoundary()) };
});
afterAll(() => {
  noCode.bundler.close();
  return rm(folder, { recursive: true, force: true });
});

/** The app has no code, so the inspection isn't called. */
const inspect: Inspect = () => Promise.reject(new Error("there is no code"));
let noCode: ProjectTools;

const NAMES = [
  "__proto__",
  "constructor",
  "toString",
  "",
  "a",
  "freshchat",
  "onMessageCreate",
  ...Object.keys(MODULES),
];
const name = fc.oneof(fc.constantFrom(...NAMES), fc.string({ maxLength: 8 }));
const anything = fc.jsonValue({ maxDepth: 3 });
const members = <T>(value: fc.Arbitrary<T>) =>
  fc.array(fc.tuple(name, value), { maxLength: 4 }).map((all) => Object.fromEntries(all) as Record<string, T>);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.oneof({ weight: 6, arbitrary: value }, anything);

const placeholder = fc.record(
  { url: maybe(fc.constantFrom("i.html", "../../x", "")), icon: maybe(name) },
  { requiredKeys: [] },
);
const section = fc.record(
  {
    location: maybe(members(maybe(placeholder))),
    events: maybe(members(maybe(fc.record({ handler: maybe(name) })))),
    functions: maybe(members(maybe(fc.record({ timeout: maybe(fc.constantFrom(5, 20, 7)) }, { requiredKeys: [] })))),
    requests: maybe(members(maybe(fc.constant({})))),
  },
  { requiredKeys: [] },
);
const manifest = fc.record(
  {
    "platform-version": maybe(fc.constantFrom<string>(...PLATFORM_VERSIONS)),
    modules: maybe(members(maybe(section))),
    product: maybe(members(maybe(section))),
    "whitelisted-domains": maybe(fc.array(name)),
    dependencies: maybe(members(maybe(name))),
  },
  { requiredKeys: ["platform-version"] },
);
const text = fc.oneof(
  name,
  fc.constantFrom("<%= iparam.a %>", "<%= a", "<%= encode(context.a) + 1 %>", "api.example.com"),
);
const template = fc.record(
  {
    schema: maybe(
      fc.record(
        {
          method: maybe(fc.constant("GET")),
          host: maybe(text),
          path: maybe(text),
          headers: maybe(members(maybe(text))),
        },
        { requiredKeys: [] },
      ),
    ),
    options: maybe(fc.record({ isOAuth: maybe(fc.boolean()) }, { requiredKeys: [] })),
  },
  { requiredKeys: [] },
);
const iparam = fc.record(
  {
    display_name: maybe(name),
    type: maybe(fc.constantFrom("text", "radio", "domain")),
    options: maybe(fc.array(name)),
    secure: maybe(fc.boolean()),
  },
  { requiredKeys: [] },
);
const oauth = fc.record(
  { integrations: maybe(members(maybe(members(maybe(name))))), client_id: maybe(name) },
  { requiredKeys: [] },
);

test("an app with arbitrary JSON files is loaded or has errors, each with its rule and location", async () => {
  const files = fc.record({
    "manifest.json": maybe(manifest),
    "config/iparams.json": maybe(members(maybe(iparam))),
    "config/requests.json": maybe(members(maybe(template))),
    "config/oauth_config.json": maybe(oauth),
    "package.json": anything,
  });
  await fc.assert(
    fc.asyncProperty(files, async (all) => {
      for (const [file, value] of Object.entries(all)) await writeFile(join(folder, file), JSON.stringify(value));
      const { project, findings } = await loadProject(folder, noCode);
      expect(project === undefined).toBe(findings.some(({ level }) => level === "error"));
      for (const finding of findings) {
        expect(Object.keys(RULES)).toContain(finding.code);
        expect(finding).not.toHaveProperty("at");
        if (finding.line !== undefined) expect(finding).toMatchObject({ line: 1, column: expect.any(Number) });
      }
    }),
    { numRuns: 300 },
  );
});

test("invalid JSON and endlessly nested JSON cause only an error", async () => {
  const sound = {
    "manifest.json": { "platform-version": "3.0", modules: { chat_user: {} } },
    "config/requests.json": {},
    "package.json": {},
  };
  for (const [file, value] of Object.entries(sound)) await writeFile(join(folder, file), JSON.stringify(value));
  await rm(join(folder, "config/oauth_config.json"), { force: true });
  const deep = "[".repeat(50_000) + "]".repeat(50_000);
  const texts = fc.oneof(
    fc.string(),
    fc.constantFrom("{}", "", "\uFEFF", "null", "{", '{"a":}', deep, `{"a":${deep}}`),
  );
  await fc.assert(
    fc.asyncProperty(texts, async (iparams) => {
      await writeFile(join(folder, "config/iparams.json"), iparams);
      const isObject = /^\s*\{\s*\}\s*$/.test(iparams);
      expect((await loadProject(folder, noCode)).project === undefined).toBe(!isObject);
    }),
    { numRuns: 100 },
  );
});
