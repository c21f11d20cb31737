import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ROOT } from "./sources.ts";

/** Code that the rules of `scripts/lint-rules.mjs` refuse, with a part of the message, and code that they permit. */

const MUST_CALL = "In place of a function that returns an error";
const MUST_BE_NEVER = "must return never";
const MUST_BE_NAMED = "Name a function that always refuses";
const LOWER = "Write SQL in lower case";

const CASES: Readonly<Record<string, readonly [code: string, message?: string]>> = {
  "a thrown Refusal": ["throw new Refusal(CONFLICT);", "Refuse by refuse(…)"],
  "a thrown refusal of an app's call": ['throw new AppRefused(404, "");', "Refuse by refuseCall(…)"],
  "a thrown refusal of an author's request": ['throw new ControlRefused(404, "");', "Refuse by refuseControl(…)"],
  "a thrown result of a function": ["throw tooLarge(rule);", MUST_CALL],
  "a thrown result of an asynchronous function": ["throw await problemOf(reply);", MUST_CALL],
  "a thrown error or result of a function": ["throw error instanceof Failure ? error : failureOf(error);", MUST_CALL],
  "a thrown error with a status": ["throw Object.assign(new Error(''), { statusCode: 415 });", MUST_CALL],
  "a function that always refuses, named deny": [
    "const deny = (reason: string): never => refuse(CONFLICT, reason);",
    MUST_BE_NAMED,
  ],
  "a function that always refuses, named throwExplained": [
    "function throwExplained(error: unknown): never { throw new CommandFailure(String(error)); }",
    MUST_BE_NAMED,
  ],
  "a function that refuses on a condition, named refuse": [
    "const refuseOwn = (isOwn: boolean): void => { if (isOwn) refuse(FORBIDDEN); };",
    MUST_BE_NEVER,
  ],
  "a function that sends a refusal, named refuse": [
    "const refuse = (reply: Reply, code: number) => reply.code(code).send();",
    MUST_BE_NEVER,
  ],
  "a function without its type, named refuse": ["const refuseFull = () => refuse(CONFLICT);", MUST_BE_NEVER],
  "SQL in capitals": ['const A = "SELECT id FROM users";', LOWER],
  "a part of a statement in capitals": ["const A = (ids: string) => `${ids} FOR UPDATE`;", LOWER],
  "SQL in capitals around a text in quotes": ["const A = `update users SET name = 'AND' where id = $1`;", LOWER],

  refuse: ["export const f = (user?: User) => user ?? refuse(USER_NOT_FOUND);"],
  "the definition of refuse": ["const refuse = (row: Problem): never => { throw new Refusal(row); };"],
  "a function that returns one that refuses": [
    "const refuseWith = (message: string) => (): never => refuse(X, message);",
  ],
  "a function that fails": ["function failAt(port: number): never { throw new CommandFailure(`port ${port}`); }"],
  "a refusal as a value": ["done(new Refusal(INVALID_JSON));"],
  "a caught error": ["try { f(); } catch (error) { if (!isRefusal(error)) throw error; }"],
  "SQL in lower case": ["const A = `select 'AND', count(*) from users where id = $1 -- FROM here`;"],
};

let folder = "";
let messages = new Map<string, string>();
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-lint-"));
  const names = Object.keys(CASES);
  const rules = { "parley/one-way-to-refuse": "error", "parley/lower-case-sql": "error" };
  const config = { categories: { correctness: "off" }, jsPlugins: [join(ROOT, "scripts/lint-rules.mjs")], rules };
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));
  mkdirSync(join(folder, "cases"));
  names.forEach((name, index) => writeFileSync(join(folder, "cases", `${index}.ts`), `${CASES[name]?.[0]}\n`));
  const { stdout } = spawnSync(
    process.execPath,
    [join(ROOT, "node_modules/oxlint/bin/oxlint"), "-c", "config.json", "--format", "json", "cases"],
    { cwd: folder, encoding: "utf8" },
  );
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { message: string; filename: string }[] };
  messages = new Map(
    names.map((name, index) => [
      name,
      diagnostics
        .filter(({ filename }) => filename.endsWith(`cases/${index}.ts`))
        .map(({ message }) => message)
        .join("\n"),
    ]),
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

const REFUSED = Object.entries(CASES).flatMap(([name, [, message]]) =>
  message === undefined ? [] : [{ name, message }],
);
const PERMITTED = Object.keys(CASES).filter((name) => CASES[name]?.[1] === undefined);

test.each(REFUSED)("lint refuses $name", ({ name, message }) => {
  expect(messages.get(name)).toContain(message);
});

test.each(PERMITTED)("lint permits %s", (name) => {
  expect(messages.get(name)).toBe("");
});
