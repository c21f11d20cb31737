import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { areaFaults, type Area } from "./areas.ts";
import { readFiles, ROOT } from "./sources.ts";

test("the areas of the service import each other as packages/service/areas.json permits", () => {
  const areas = JSON.parse(readFileSync(join(ROOT, "packages/service/areas.json"), "utf8")) as Record<string, Area>;
  const src = "packages/service/src/";
  expect(areaFaults(areas, readFiles([src], /\.ts$/), src)).toEqual([]);
});

const AREAS: Readonly<Record<string, Area>> = {
  base: { imports: [], ports: ["environment/ports.ts", "concurrency/"] },
  messaging: { imports: ["base"], ports: ["users/names.ts"] },
};

/** Imports that use every entry of the table, by the files that they stand in. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  "service.ts": ["./messaging/module.ts", "./messaging/users/names.ts"],
  "base/environment/ports.ts": [],
  "base/concurrency/mutex.ts": [],
  "base/log/feed.ts": ["../environment/ports.ts"],
  "messaging/module.ts": ["../base/module.ts", "../base/environment/ports.ts", "./users/store.ts"],
  "messaging/users/names.ts": [],
  "messaging/users/store.ts": ["../../base/concurrency/mutex.ts", "typebox"],
};

const faultsOf = (
  files: Readonly<Record<string, readonly string[]>> = {},
  areas: Readonly<Record<string, Area>> = {},
): string[] => {
  const sources = Object.entries({ ...FILES, ...files }).map(([path, imports]) => ({
    path: `src/${path}`,
    text: imports.map((specifier) => `import "${specifier}";`).join("\n"),
  }));
  return areaFaults({ ...AREAS, ...areas }, sources, "src/");
};

test("imports of modules and ports that the table permits are not faults", () => {
  expect(faultsOf()).toEqual([]);
});

test.each([
  [
    "an upward import",
    "base/log/feed.ts",
    "../../messaging/module.ts",
    "src/base/log/feed.ts imports src/messaging/module.ts: base may not import messaging",
  ],
  [
    "an import of a private file",
    "messaging/users/find.ts",
    "../../base/log/feed.ts",
    "src/messaging/users/find.ts imports src/base/log/feed.ts: it is neither the module nor a port of base",
  ],
  [
    "an import of a private file by a file of no area",
    "index.ts",
    "./messaging/users/store.ts",
    "src/index.ts imports src/messaging/users/store.ts: it is neither the module nor a port of messaging",
  ],
  [
    "an import of a file of no area",
    "messaging/users/find.ts",
    "../../service.ts",
    "src/messaging/users/find.ts imports src/service.ts: no area may import a file directly below src",
  ],
])("%s is a fault", (_, file, specifier, fault) => {
  expect(faultsOf({ [file]: [specifier] })).toEqual([fault]);
});

const { base = { imports: [], ports: [] }, messaging } = AREAS;

test.each([
  ["an import that nothing uses", { base: { ...base, imports: ["messaging"] } }, "base imports messaging"],
  [
    "a port that nothing uses",
    { messaging: { ...messaging, ports: ["users/store.ts", "users/names.ts"] } },
    "port messaging/users/store.ts",
  ],
  ["a port that only its own area uses", { base: { ...base, ports: [...base.ports, "log/"] } }, "port base/log/"],
])("%s is a stale entry of the table", (_, areas, entry) => {
  expect(faultsOf({}, areas as Readonly<Record<string, Area>>)).toEqual([`nothing uses the entry: ${entry}`]);
});

test("a folder without a row and a row without a folder are faults", () => {
  const none = { imports: [], ports: [] };
  expect(faultsOf({ "events/stream.ts": [] }, { http: none })).toEqual([
    "events has no row",
    "http has a row and no folder",
  ]);
});
