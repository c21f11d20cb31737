import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { build, type BuildFailure } from "esbuild";
import { pageScripts } from "../../src/pages/files.ts";
import { isRunnable, type Finding } from "../../src/model/finding.ts";
import type { ProjectTools } from "../../src/package/load/load.ts";
import type { LoadedProject } from "../../src/model/project.ts";
import { createProjectTools } from "../../src/runtime/process/inspect.ts";
import { validateProject } from "../../src/package/validate/validate.ts";
import { packProject } from "../../src/package/pack/pack.ts";
import { appFixture } from "../support/app-fixture.ts";
import { outsideFiles, type EscapeAttempt } from "./escape-attempt.ts";
import { attemptsByFile } from "./escape-attempts-by-file.ts";
import { attemptsByImport } from "./escape-attempts-by-import.ts";
import { MANIFEST } from "../support/project-folder.ts";
import { sampleRows } from "../../../../test/support/campaign.ts";

/** Files outside an app's folder appear in no output of the app: code, source map, finding, package or page. */

const canary = `canary_${randomBytes(12).toString("hex")}`;
/** The canary as plain text and as esbuild encodes a binary file. */
const FORMS = [
  canary,
  ...[0, 1, 2].map((skipped) => Buffer.from(canary.slice(skipped)).toString("base64").slice(0, -4)),
];
const hasCanary = (value: unknown): boolean => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return FORMS.some((form) => text.includes(form));
};

// Computed at load time: test tables are built before any test runs.
const base = await realpath(await mkdtemp(join(tmpdir(), "parley-escape-")));
const outside = join(base, "outside");
let tools: ProjectTools;
/** Only the bundler's own checks, without a boundary. */
let openTools: ProjectTools;
beforeAll(async () => {
  [tools, openTools] = await Promise.all([createProjectTools(), createProjectTools(["none"])]);
  await mkdir(outside);
  for (const [name, text] of Object.entries(outsideFiles(canary))) await writeFile(join(outside, name), text);
});
afterAll(async () => {
  for (const { bundler } of [tools, openTools]) bundler.close();
  await rm(base, { recursive: true, force: true });
});

let turn = 0;
/** Writes a valid app with the files and links of an attempt. Returns its folder. */
async function write({ files = {}, links = {} }: EscapeAttempt): Promise<string> {
  const folder = join(base, `app-${(turn += 1)}`);
  const isLinked = (path: string) => Object.keys(links).some((link) => path === link || path.startsWith(`${link}/`));
  const all: EscapeAttempt["files"] = {
    "manifest.json": MANIFEST,
    "config/iparams.json": {},
    "app/index.html": "<!doctype html><title>App</title>",
    "server/server.js": "exports = { hear: function () {} };",
    ...files,
  };
  for (const [file, content] of Object.entries(all)) {
    if (content === undefined || isLinked(file)) continue;
    await mkdir(dirname(join(folder, file)), { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content);
    await writeFile(join(folder, file), text.replaceAll("CANARY", canary));
  }
  for (const [path, target] of Object.entries(links)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await symlink(target, join(folder, path));
  }
  return folder;
}

/** Returns the output of unconfined esbuild for an entry. */
const esbuildOutput = (folder: string, file: string): Promise<string> =>
  build({
    absWorkingDir: folder,
    entryPoints: [file],
    bundle: true,
    write: false,
    outdir: ".",
    platform: file.startsWith("server/") ? "node" : "browser",
    format: file.startsWith("server/") ? "cjs" : "iife",
    sourcemap: "external",
    logLevel: "silent",
  }).then(
    ({ outputFiles, warnings }) => JSON.stringify([outputFiles.map(({ text }) => text), warnings]),
    ({ errors }: BuildFailure) => JSON.stringify(errors),
  );

interface Outcome {
  readonly findings: readonly Finding[];
  readonly outputs: unknown;
}

/** Returns the host's responses to a page's script requests, including the text of source maps. */
async function servedScripts({ bundler }: ProjectTools, { project }: LoadedProject) {
  const path = "app/page.ts";
  if (!project || !existsSync(join(project.folder, path))) return { findings: [], told: "" };
  const lines: string[] = [];
  const scripts = pageScripts(
    bundler,
    () => project,
    (line) => lines.push(line),
  );
  const code = await scripts.newest(path);
  const [, map = ""] = code.split("base64,");
  return { findings: scripts.findings(), told: [code, Buffer.from(map, "base64").toString(), lines] };
}

async function outcomeOf(used: ProjectTools, folder: string): Promise<Outcome> {
  const loaded = await validateProject(folder, used);
  if (!isRunnable(loaded.findings)) return { findings: loaded.findings, outputs: loaded };
  const { package: packed, findings } = await packProject(folder, used);
  const served = await servedScripts(used, loaded);
  const files = packed?.files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString("latin1")]);
  return { findings: [...findings, ...served.findings], outputs: [loaded, files, packed?.leftOut, findings, served] };
}

const attempts = { ...attemptsByImport({ folder: outside }), ...attemptsByFile({ folder: outside }) };

describe.each(Object.entries(attempts))("%s", (_family, all) => {
  const rows = all.map((attempt) => [attempt.title, attempt] as const);
  const errorsIn = (findings: readonly Finding[]) => findings.filter(({ level }) => level === "error");
  const refusal = expect.stringMatching(/^(?:path-refused|syntax)$/) as unknown;

  test.each(sampleRows(rows, 1))("%s: no output contains a file outside the app's folder", async (_title, attempt) => {
    const { findings, outputs } = await outcomeOf(tools, await write(attempt));
    expect(hasCanary(outputs)).toBe(false);
    if (!attempt.isSilent) expect(errorsIn(findings)).toContainEqual(expect.objectContaining({ code: refusal }));
  });

  test.each(sampleRows(rows, 1))("%s: rejected where no boundary confines the bundler", async (_title, attempt) => {
    const { findings, outputs } = await outcomeOf(openTools, await write(attempt));
    expect(hasCanary(outputs)).toBe(false);
    if (attempt.isSilent !== "everywhere")
      expect(errorsIn(findings)).toContainEqual(expect.objectContaining({ code: refusal }));
  });

  test("without the guard, esbuild outputs a file outside the app's folder", async () => {
    for (const attempt of all.filter(({ leaksFrom }) => leaksFrom !== undefined)) {
      const outputs = await esbuildOutput(await write(attempt), attempt.leaksFrom ?? "");
      expect([attempt.title, hasCanary(outputs)]).toEqual([attempt.title, true]);
    }
  });
});

test("a rejection names file, line, reason and correction", async () => {
  const folder = await write({
    title: "",
    files: {
      "server/server.js": `const a = 1;\nconst b = require("${outside}/secret.js");\nexports = { hear: () => a + b };`,
    },
  });
  expect((await validateProject(folder, tools)).findings).toEqual([
    expect.objectContaining({
      code: "path-refused",
      level: "error",
      file: "server/server.js",
      line: 2,
      message: `'${outside}/secret.js' can't be used: it leads out of the app's folder`,
      help: expect.stringContaining("Put the file itself into the folder") as unknown,
    }),
  ]);
});

test("a path outside the app's folder is rejected identically whether or not it exists", async () => {
  const loggedLines = async (name: string) => {
    const folder = await write({
      title: "",
      files: { "server/server.js": `require("${outside}/${name}"); exports = {};` },
    });
    return (await validateProject(folder, tools)).findings.map(({ message }) => message.replace(name, "x"));
  };
  expect(await loggedLines("secret.js")).toEqual(await loggedLines("gone.js"));
});

describe("an app may use", () => {
  const validFiles = async (attempt: Omit<EscapeAttempt, "title">) => {
    const folder = await write({ title: "", ...attempt });
    const { project, findings } = await validateProject(folder, tools);
    expect(findings.filter(({ level }) => level === "error")).toEqual([]);
    return project?.serverCode ?? "";
  };
  const use = (specifier: string) => ({
    "server/server.js": `const word = require("${specifier}");\nexports = { hear: () => word };`,
  });

  test("links inside its folder", async () => {
    const files = { ...use("./lib.js"), "shared/word.js": "module.exports = 'a word';" };
    expect(await validFiles({ files, links: { "server/lib.js": "../shared/word.js" } })).toContain("a word");
  });

  test("packages linked inside its folder, as package managers create them", async () => {
    const files = { ...use("pkg"), "node_modules/.store/pkg/index.js": "module.exports = 'a word';" };
    expect(await validFiles({ files, links: { "node_modules/pkg": ".store/pkg" } })).toContain("a word");
  });

  test("packages of a parent folder, which its operator may have linked", async () => {
    const packagesFolder = join(base, "node_modules");
    const linked = join(base, "linked-package");
    await mkdir(join(packagesFolder, "above"), { recursive: true });
    await mkdir(linked);
    await writeFile(join(packagesFolder, "above", "index.js"), "module.exports = require('linked');");
    await writeFile(join(linked, "index.js"), "module.exports = 'a word';");
    await symlink("../linked-package", join(packagesFolder, "linked"));
    try {
      expect(await validFiles({ files: use("above") })).toContain("a word");
      const climbing = await write({ title: "", files: use("../../node_modules/above/index.js") });
      expect((await validateProject(climbing, tools)).findings).toMatchObject([{ code: "path-refused" }]);
    } finally {
      await rm(packagesFolder, { recursive: true });
    }
  });

  test("the options and paths of its own tsconfig.json", async () => {
    const code = await validFiles({
      files: {
        "server/server.js": undefined,
        "server/server.ts": 'import word from "@/word"; import "./view.tsx"; export default { hear: () => word };',
        "server/view.tsx": "const makeElement = () => 0; export const view = <p/>; console.info(view);",
        "shared/word.ts": "export default 'a word';",
        "tsconfig.json":
          '{ "extends": "./tsconfig.base.json", /* a comment */ "compilerOptions": { "paths": { "@/*": ["./shared/*"] }, } }',
        "tsconfig.base.json": { compilerOptions: { jsxFactory: "makeElement" } },
      },
    });
    expect(code).toContain("a word");
    expect(code).toContain("makeElement");
  });
});

test("a host serves no file outside the app's folder and keeps the last good version", async () => {
  const fixture = await appFixture({
    files: { "app/index.html": "<!doctype html><title>App</title>", "app/page.ts": "console.log(1);" },
  });
  try {
    const { folder, host, lines } = fixture;
    const app = join(folder, "app");
    await symlink(`${outside}/secret.html`, join(app, "linked.html"));
    await symlink(outside, join(app, "linked"));
    await fixture.write("app/stolen.ts", `import s from "${outside}/secret" with { type: "text" }; console.log(s);`);
    await fixture.write("app/map.ts", `console.log(1);\n//# sourceMappingURL=${outside}/secret.map`);
    for (const path of ["linked.html", "linked/secret.html", "linked/secret.txt", "stolen.ts", "map.ts"]) {
      const reply = await fetch(`${host.url}/app/${path}`);
      expect(hasCanary(await reply.text())).toBe(false);
    }
    await fixture.until(() => lines.find((line) => line.includes("app/linked.html: 'app/linked.html' can't be used")));
    expect((await fetch(`${host.url}/app/index.html`)).status).toBe(200);
    expect(hasCanary(lines)).toBe(false);
  } finally {
    await fixture.close();
  }
});
