import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { ROOT, run, temporaryFolder } from "../support/parley-process.ts";
import { buildRelease, releasedPackages, type ReleasedPackage } from "./installed-release.ts";

/** The same commit gives the same packages. */

const temporary = await temporaryFolder();
afterAll(temporary.remove);

const digests = (packages: readonly ReleasedPackage[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    packages.map(({ file }) => [basename(file), createHash("sha256").update(readFileSync(file)).digest("hex")]),
  );

test("packages that are built in another folder, with another umask, time zone and language, and by another version of Node, have the same bytes", async () => {
  const first = digests(await releasedPackages());
  expect(Object.keys(first)).toHaveLength(4);
  const versions = await run([
    process.execPath,
    join(ROOT, "scripts/node-versions.mjs"),
    "22",
    "--only-install",
    "--json",
  ]);
  expect(versions).toMatchObject({ status: 0 });
  const { versions: [other] = [] } = JSON.parse(versions.stdout) as { versions: readonly { node: string }[] };
  const env = {
    ...{ TZ: "Asia/Kathmandu", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" },
    PATH: [dirname(other?.node ?? ""), process.env["PATH"]].join(delimiter),
  };
  const previous = process.umask(0o077);
  try {
    expect(digests(await buildRelease(join(temporary.folder, "a/folder below/release"), env))).toEqual(first);
  } finally {
    process.umask(previous);
  }
}, 180_000);
