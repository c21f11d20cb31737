import { readFile } from "node:fs/promises";
import { afterAll, expect, test } from "@jest/globals";
import { appHarness } from "../../../test/support/app-harness.ts";
import { parley } from "../../../test/support/parley-process.ts";

/** Help texts of all commands. */

const harness = await appHarness({}, false);
afterAll(() => harness.close());

const helpOf = (path: readonly string[]) => harness.callSuccessfully(...path, "--help");
const below = (help: string): string[] => {
  const [, list = ""] = help.split("\nCommands:\n");
  const [names = ""] = list.split("\n\n");
  return [...names.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = ""]) => name).filter((name) => name !== "help");
};

const helps: [string, string][] = [];
for (const paths: string[][] = [[]]; paths.length > 0;) {
  const path = paths.shift() ?? [];
  const help = await helpOf(path);
  helps.push([path.join(" "), help]);
  paths.push(...below(help).map((name) => [...path, name]));
}

test("the list of commands includes subcommands", () => {
  expect(helps.map(([path]) => path)).toEqual(expect.arrayContaining(["run", "event replay", "clock advance"]));
});

test.each(helps)("parley %s --help fits 80 columns", (_path, help) => {
  expect(help.split("\n").filter((line) => line.length > 80)).toEqual([]);
  expect(help).toMatch(/^Usage: parley/);
});

/** The paragraph below the usage line. */
const descriptionOf = (help: string): string => help.split("\n\n")[1] ?? "";

test("the help of every command begins with a description", () => {
  const undescribed = helps.filter(([, help]) => /^(?:Arguments|Options|Commands):/.test(descriptionOf(help)));
  expect(undescribed.map(([path]) => path)).toEqual([]);
});

test.each(["--version", "-V"])("parley %s prints the version of the package", async (flag) => {
  const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  expect(await parley([flag])).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
});

test("--help in a narrow terminal cuts no word, and only a single word passes its width", async () => {
  const { columns } = process.stdout;
  const words = (text: string) =>
    text
      .split(/\s+(?:\\\n\s+)?/)
      .filter(Boolean)
      .sort();
  const wide = await helpOf(["run"]);
  try {
    process.stdout.columns = 50;
    const narrow = await helpOf(["run"]);
    expect(narrow.split("\n").filter((line) => line.length > 50 && /\S\s+\S/.test(line))).toEqual([]);
    expect(words(narrow)).toEqual(words(wide));
  } finally {
    process.stdout.columns = columns;
  }
});
