import { dirname, relative } from "node:path";
import { expect, test } from "@jest/globals";
import { codeOf, readSources } from "./sources.ts";

const sources = readSources();

const SQL =
  /["'`]\s*(?:select\s[\s\S]*?\sfrom\s|select\s+\w+\s*\(|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|create\s+(?:table|index|schema)\s|with\s+\w+\s+as\s)/i;

test("SQL is in store.ts and .sql.ts files, under db/ and in the database package only", () => {
  const elsewhere = sources.filter(
    ({ path, text }) =>
      !/(^|\/)store\.ts$|\.sql\.ts$|\/db\/|^packages\/database\//.test(path) && SQL.test(codeOf(text)),
  );
  expect(elsewhere.map(({ path }) => path)).toEqual([]);
});

/** -> the folders that may write each table, read from the rows of packages/service/src/base/db/tables.ts */
const serviceTables = (): Map<string, readonly string[]> => {
  const text = sources.find(({ path }) => path === "packages/service/src/base/db/tables.ts")?.text ?? "";
  const rows = [...text.matchAll(/^ {2}(\w+): row\((\[[^\]]*\]|"[^"]*")/gm)];
  return new Map(
    rows.map(([, name = "", folders = "[]"]) => [name, [JSON.parse(folders) as string | string[]].flat()]),
  );
};

test("SQL that writes a table of the service is in the folder of the table's owner", () => {
  const tables = serviceTables();
  const owners = [...new Set([...tables.values()].flat())];
  /** The owner that contains a file, or the file's own folder. */
  const folderOf = (path: string) => {
    const folder = dirname(relative("packages/service/src", path));
    return owners.find((owner) => folder === owner || folder.startsWith(`${owner}/`)) ?? folder;
  };
  const own = sources.filter(({ path }) => path.startsWith("packages/service/src/"));
  const writers = new Map<string, Set<string>>();
  for (const { path, text } of own.filter(({ path: each }) => !each.includes("/migrations/")))
    for (const [, name = ""] of codeOf(text).matchAll(/(?:insert into|delete from|update)\s+"?(\w+)/g))
      if (tables.has(name)) writers.set(name, (writers.get(name) ?? new Set()).add(folderOf(path)));
  expect(writers.size).toBeGreaterThan(20);
  const offenders = [...writers].filter(([name, folders]) =>
    [...folders].some((folder) => !tables.get(name)?.includes(folder)),
  );
  expect(offenders.map(([name, folders]) => `${name}: ${[...folders].join(", ")}`)).toEqual([]);
});
