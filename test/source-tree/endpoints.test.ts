import { expect, test } from "@jest/globals";
import * as contract from "@parley/contract";
import { codeOf, readSources, readTests } from "./sources.ts";

/** Titles of all tests: first arguments of test, it and describe, and the strings of their tables. */
const titles = readTests()
  .filter(({ path }) => path.endsWith(".test.ts"))
  .flatMap(({ text }) =>
    [...text.matchAll(/(["'`])((?:GET|POST|PUT|PATCH|DELETE) \/[\s\S]*?)\1/g)].map(([, , title]) => title ?? ""),
  );
const { admin, transfer, testEnvironment } = contract;
const rows = [
  ...contract.rowsOf(),
  ...contract.rowsOf(contract.consoleApi),
  ...contract.rowsOf(contract.messengerApi),
  ...contract.rowsOf({ admin, transfer, testEnvironment, platform: contract.platform }),
];

test("every endpoint is named by a test title with its success and with each of its own problems", () => {
  const untested = rows.flatMap(({ row: { route, reply, problems: own = [] } }) => {
    const named = titles.filter((title) => title === route || title.startsWith(`${route} `));
    const outcomes = [String(reply.code), ...own.map(({ status }) => status)];
    return outcomes
      .filter((outcome) => !named.some((title) => title.includes(outcome)))
      .map((outcome) => `${route} ${outcome}`);
  });
  expect(untested).toEqual([]);
});

const isProblem = (value: unknown): value is contract.Problem =>
  typeof value === "object" && value !== null && "status" in value && "code" in value && "message" in value;
const exported: Record<string, unknown> = { ...contract };
const problems = Object.entries(exported).flatMap(([name, value]) =>
  isProblem(value) ? [{ name, problem: value }] : [],
);

test("the token of every problem is its exported name, and unique", () => {
  expect(problems.filter(({ name, problem }) => problem.status !== name)).toEqual([]);
  expect(new Set(problems.map(({ problem }) => problem.status)).size).toBe(problems.length);
});

test("every problem is an answer of the service or the platform", () => {
  const service = readSources()
    .filter(({ path }) => /^packages\/((?:service|framework)\/src|parley\/src\/test-environment)\//.test(path))
    .map(({ text }) => codeOf(text).replace(/import[\s\S]*?from "[^"]+";/g, ""));
  const unused = problems.filter(({ name }) => !service.some((text) => new RegExp(`\\b${name}\\b`).test(text)));
  expect(unused.map(({ name }) => name)).toEqual([]);
});
