import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Loaded } from "../src/project/project.ts";
import { RULES, type RuleCode } from "../src/project/rules.ts";
import { folders, modules, UNCHANGED, type Folders } from "./project-folder.ts";
import { CONFIG_CASES } from "./validate-config-cases.ts";
import { MANIFEST_CASES } from "./validate-manifest-cases.ts";

let apps: Folders;
let unchanged: Promise<Loaded>;
beforeAll(async () => {
  apps = await folders();
  unchanged = apps.validate(UNCHANGED);
});
afterAll(() => apps.remove());

type Files = Record<string, unknown>;

/** Packing, the installation of dependencies, links and the bundler itself have tests of their own. */
type Code = Exclude<RuleCode, `pack-${string}` | "dependency-install" | "path-refused" | "bundling-failed">;

/** Files that break the rule, and almost the same ones that keep it. */
const CASES: Record<Code, readonly [bad: Files, good: Files]> = {
  ...MANIFEST_CASES,
  ...CONFIG_CASES,
  "server-load": [
    { "server/server.js": "throw new Error('at once')" },
    { "server/server.js": "exports = { hear: function () { throw new Error('later') } };" },
  ],
  "set-up-silent": [
    {
      "manifest.json": modules({ common: { events: { onAppInstall: { handler: "begin" } } } }),
      "server/server.js": "// renderData()\nexports = { hear: () => 0, begin: () => 0 };",
    },
    {
      "manifest.json": modules({ common: { events: { onAppInstall: { handler: "begin" } } } }),
      "server/server.js": "exports = { hear: () => 0, begin: () => renderData() };",
    },
  ],
  "secure-read": [
    { "server/server.js": "exports = { hear: (args) => args.iparams.key };" },
    { "server/server.js": "exports = { hear: (args) => args.iparams.keys + args.key /* iparams.key */ };" },
  ],
  "npmrc-line": [
    { ".npmrc": "registry=https://packages.example.com/\ngit=../evil.sh\n" },
    { ".npmrc": "registry=https://packages.example.com/\n" },
  ],
  "file-size": [{ "app/large.txt": "x".repeat(2 * 1024 * 1024 + 1) }, { "app/large.txt": "x".repeat(2 * 1024 * 1024) }],
  "package-size": [
    { "app/a.txt": noise(), "app/b.txt": noise(), "app/c.txt": noise(), "app/d.txt": noise() },
    { "app/a.txt": noise() },
  ],
  "lint-undefined": [
    { "server/server.js": "exports = { hear: () => nowhere };" },
    { "server/server.js": "const nowhere = 1; exports = { hear: () => nowhere };" },
  ],
  lint: [
    { "server/server.js": "exports = { hear: () => { return 1; console.info(2); } };" },
    { "server/server.js": "exports = { hear: () => { console.info(2); return 1; } };" },
  ],
};

/** Text that hardly gets smaller. */
function noise(): string {
  let state = 7;
  const one = () => String.fromCharCode(33 + ((state = (state * 16_807) % 2_147_483_647) % 90));
  // Longer than what a compression looks back at.
  return Array.from({ length: 60_000 }, one).join("").repeat(31);
}

describe("each rule finds what breaks it, and nothing in what keeps it", () => {
  test.each(Object.entries(CASES))("%s", async (code, [bad, good]) => {
    const rule = RULES[code as Code];
    const broken = await apps.validate(bad);
    const own = broken.findings.filter((finding) => finding.code === code);
    expect(own.length).toBeGreaterThan(0);
    for (const { level, message, help = "" } of own) {
      expect(level).toBe(rule.level);
      expect(`${message} ${help}`).not.toMatch(/\{\w+\}/);
    }
    expect(broken.project === undefined).toBe(broken.findings.some(({ level }) => level === "error"));
    const kept = good === UNCHANGED ? await unchanged : await apps.validate(good);
    expect(kept.findings.filter(({ level, ...finding }) => level === "error" || finding.code === code)).toEqual([]);
    expect(kept.project).toBeDefined();
  });
});

test("an app without a mistake has no findings", async () => {
  expect((await unchanged).findings).toEqual([]);
});
