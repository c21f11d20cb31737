import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** -> the source of another package's entry, such as `@parley/service/operation` */
const entrySource = (specifier: string): string => {
  const [, name = "", entry] = /^@parley\/([\w-]+)(?:\/([\w-]+))?$/.exec(specifier) ?? [];
  const { exports } = JSON.parse(readFileSync(join(ROOT, "packages", name, "package.json"), "utf8")) as {
    exports: Record<string, Record<string, string>>;
  };
  return join("packages", name, exports[entry === undefined ? "." : `./${entry}`]?.["parley-source"] ?? "");
};

/** Files that a file imports when it is loaded, so neither types nor what it imports later. */
const loadedBy = (path: string): string[] => {
  const text = readFileSync(join(ROOT, path), "utf8");
  return [...text.matchAll(/^(?:import|export)\s+(?!type\b)(?:[^;"]*?\sfrom\s+)?"([^"]+)";/gm)].flatMap(
    ([, specifier = ""]) => {
      if (specifier.startsWith(".")) return [normalize(join(dirname(path), specifier))];
      return specifier.startsWith("@parley/") ? [entrySource(specifier)] : [];
    },
  );
};

/** A file and all that it loads, also from other packages. */
const loadedWith = (path: string, loaded = new Set<string>()): Set<string> => {
  if (loaded.has(path)) return loaded;
  loaded.add(path);
  for (const next of loadedBy(path)) loadedWith(next, loaded);
  return loaded;
};

const SERVICE = "packages/service/src/service.ts";
const PLATFORM = "packages/framework/src/platform/app-host/start-app-host.ts";
const OUTGOING_REQUESTS = "packages/egress/src/index.ts";

/** Processes that are started once or more for each machine: 10 to 60 MB each for what they load and never call. */
const ROWS = [
  { process: "that supervises the others", path: "packages/parley/src/serve/command.ts", needs: [] },
  {
    process: "of the service",
    path: "packages/parley/src/serve/service-worker.ts",
    needs: [SERVICE, OUTGOING_REQUESTS],
  },
  {
    process: "of the platform",
    path: "packages/parley/src/serve/platform-worker.ts",
    needs: [PLATFORM, OUTGOING_REQUESTS],
  },
  { process: "of parley start", path: "packages/parley/src/start/command.ts", needs: [SERVICE, OUTGOING_REQUESTS] },
] as const;

test.each(ROWS)("the process $process loads only the parts that it runs", ({ path, needs }) => {
  const parts = [SERVICE, PLATFORM, OUTGOING_REQUESTS];
  expect(parts.every((part) => existsSync(join(ROOT, part)))).toBe(true);
  const loaded = loadedWith(path);
  expect(parts.filter((part) => loaded.has(part))).toEqual(needs);
});
