import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "@jest/globals";
import { ROOT } from "../support/parley-process.ts";
import { projectCopy } from "./project-copy.ts";
import { blocksOf, createEditor, filesOfEdits } from "./tutorial.ts";
import { fileFixture } from "../support/file-fixture.ts";

/** Follows docs/contributors/first-change.md in a copy of the repository: its edits, its commands and what it says about them. */

const PAGE = readFileSync(join(ROOT, "docs/contributors/first-change.md"), "utf8");
const BLOCKS = blocksOf(PAGE);
const ROUTE = "GET /groups/{group_id}";
const TESTS = "packages/service/test/messaging/directory/directory.test.ts";

const copy = fileFixture(projectCopy);

/** Runs a command in the copy. -> its status and its output */
const run = (command: string, ...more: readonly string[]) => {
  const [program = "", ...args] = command.split(" ");
  // The run of tests that this test belongs to has a database server and a cache of its own.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:PARLEY_|JEST_|npm_|NODE_|DATABASE_URL$)/.test(name)),
  );
  const { status, stdout, stderr } = spawnSync(program, [...args, ...more], {
    cwd: copy.folder,
    env,
    encoding: "utf8",
    maxBuffer: 64 * 1024 ** 2,
  });
  return { status, output: stdout + stderr };
};
const succeed = (command: string, ...more: readonly string[]): string => {
  const { status, output } = run(command, ...more);
  expect({ command, status, output: status === 0 ? "" : output }).toEqual({ command, status: 0, output: "" });
  return output;
};

/** The text that a paragraph of the page quotes as the first `code` that matches. */
const quoted = (pattern: RegExp): string => pattern.exec(PAGE)?.[1] ?? "";

/** Titles of the tests that concern the endpoint. */
const OF_THE_ENDPOINT = ["-t", "/groups/\\{group_id\\}", "--verbose"];

/**
 * Commands of the page by section, each with what it must show. `null`: not run here, because
 * - the copy is what `git clone` gives, and nothing is committed in it;
 * - other tests start an instance, and `npm test -- directory` sends the requests of `curl` to a complete service;
 * - the complete `npm test` takes minutes.
 */
const COMMANDS: Readonly<Record<string, (() => void) | null>> = {
  "git clone <the repository> parley": null,
  "cd parley": null,
  "git switch -c get-group": null,
  "npm start": null,
  "npm run typecheck"() {
    const { status, output } = run("npm run typecheck");
    expect(status).not.toBe(0);
    const [error = ""] = quoted(/`(error TS\d+: [^`]+)`/).split(" …");
    const file = quoted(/reports the missing handler in `([^`]+)`/);
    expect(output.split("\n").filter((line) => line.startsWith(file) && line.includes(error))).toHaveLength(1);
  },
  "npm test -- directory": () => void succeed("npm test -- directory"),
  "npm run docs"() {
    const output = succeed("npm run docs");
    const [, list = ""] = /^written: (.+)$/m.exec(output) ?? [];
    const named = [...quoted(/`npm run docs` adds the endpoint to (.+)\. The matrix/s).matchAll(/`([^`]+)`/g)];
    expect(
      list
        .split(", ")
        .map((path) => basename(path))
        .sort(),
    ).toEqual(named.map(([, name]) => name).sort());
  },
  "npm test -- matrix"() {
    const output = succeed("npm test -- matrix", ...OF_THE_ENDPOINT);
    for (const kind of ["a request without valid credentials is 401", "a token permits exactly its permissions"])
      expect(output).toContain(kind);
    expect(output.split(`✓ ${ROUTE}`).length).toBeGreaterThan(3);
  },
  "npm test -- source-tree"() {
    const missing = quoted(/without the second test it\s+reports `([^`]+)`/);
    const file = join(copy.folder, TESTS);
    const complete = readFileSync(file, "utf8");
    const second = complete.lastIndexOf("\ntest.each(");
    writeFileSync(file, complete.slice(0, second));
    const { status, output } = run("npm test -- source-tree", "-t", "every endpoint is named");
    writeFileSync(file, complete);
    expect([status === 0, output.includes(`"${missing}"`)]).toEqual([false, true]);
    succeed("npm test -- source-tree");
  },
  "KEY=$(cat .parley/api-key)": null,
  'curl -s http://localhost:10002/v2/groups -H "Authorization: Bearer $KEY"': null,
  'curl -s http://localhost:10002/v2/groups/<id> -H "Authorization: Bearer $KEY"': null,
  // Only the edited files: linting all takes as long as everything else here.
  "npm run lint"() {
    succeed("npx oxlint", ...filesOfEdits(PAGE));
    succeed("npx oxfmt --check", ...filesOfEdits(PAGE));
  },
  "npm test": null,
  'git commit -am "groups: read one group by its id"': null,
};

test("docs/contributors/first-change.md can be followed as it is written", () => {
  expect(filesOfEdits(PAGE).length).toBeGreaterThan(2);
  const edit = createEditor(copy.folder);
  const followed = new Set<string>();
  for (const block of BLOCKS) {
    if (block.language === "ts") {
      edit(block);
      continue;
    }
    // After the last edit, which is of a test.
    if (block.text.startsWith("npm run docs")) succeed("npm run typecheck");
    for (const command of block.text.split("\n")) {
      const follow = COMMANDS[command];
      if (follow === undefined) throw new Error(`This test does not know the command of the page: ${command}`);
      follow?.();
      followed.add(command);
    }
  }
  expect([...followed]).toEqual(Object.keys(COMMANDS));
  expect(readFileSync(join(copy.folder, "docs/integrators/openapi.json"), "utf8")).toContain(
    `"${ROUTE.replace("GET ", "")}"`,
  );
}, 900_000);
