import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startFakeRegistry, type FakeRegistry } from "../support/fake-registry.ts";

export interface HostileRegistryFixture {
  /** Working folder for archives. */
  readonly base: string;
  /** Folder outside the app that packages try to read or write. */
  readonly outside: string;
  /** File that packages try to create. */
  readonly marker: string;
}

/** Builds an archive with arbitrary entries. @shape made: a script that fills the folder `package` and runs its own `tar` into a.tgz */
async function archiveOf(base: string, made: string): Promise<Buffer> {
  const folder = await mkdtemp(join(base, "archive-"));
  await mkdir(join(folder, "package"));
  await writeFile(join(folder, "package", "package.json"), '{"name":"pkg","version":"1.0.0"}');
  const { status, stderr } = spawnSync("/bin/sh", ["-ec", made], { cwd: folder });
  if (status !== 0) throw new Error(String(stderr));
  return readFile(join(folder, "a.tgz"));
}

/** Starts a registry of packages that try to escape an app's folder, and another server that they reference. */
export async function startHostileRegistry({
  base,
  outside,
  marker,
}: HostileRegistryFixture): Promise<[registry: FakeRegistry, elsewhere: FakeRegistry]> {
  const RUNS = `touch ${marker}`;
  const plain = { "index.js": "module.exports = 1;" };
  const elsewhere = await startFakeRegistry({ "other@1.0.0": plain });
  const needs = (specifier: string) => ({
    ...plain,
    "package.json": JSON.stringify({ dependencies: { inner: specifier } }),
  });
  const about = (members: object) => ({ ...plain, "package.json": JSON.stringify(members) });
  const registry = await startFakeRegistry(
    {
      "sound@1.0.0": plain,
      "inner@1.0.0": plain,
      "other@1.0.0": plain,
      "@scope/sound@1.0.0": plain,
      "needs-git@1.0.0": needs(`git+file://${outside}`),
      "needs-ssh@1.0.0": needs("git+ssh://git@127.0.0.1:9/x/y.git"),
      "needs-hub@1.0.0": needs("github:someone/something"),
      "needs-folder@1.0.0": needs(`file:${outside}`),
      "needs-climb@1.0.0": needs("file:../../../../../outside"),
      "needs-link@1.0.0": needs(`link:${outside}`),
      "needs-archive@1.0.0": needs(`${elsewhere.origin}/other@1.0.0.tgz`),
      "needs-archive-file@1.0.0": needs(`file:${outside}/a.tgz`),
      "needs-alias@1.0.0": needs("npm:other@1.0.0"),
      "scripts@1.0.0": about({
        scripts: Object.fromEntries(
          ["preinstall", "install", "postinstall", "prepare", "prepublish"].map((name) => [name, RUNS]),
        ),
      }),
      "gyp@1.0.0": { ...plain, "binding.gyp": `{ "targets": [{ "target_name": "<!(${RUNS})" }] }` },
      "bin-path@1.0.0": about({ bin: { "../../../../outside/marker": "index.js" } }),
      "bin-target@1.0.0": about({ bin: { word: "../../../../outside/evil.sh" } }),
      "bin-folder@1.0.0": about({ directories: { bin: "../../../../outside" } }),
      ...Object.fromEntries(
        ["link", "folder-link", "hard-link", "climb", "absolute", "pipe"].map((name) => [
          `archive-${name}@1.0.0`,
          plain,
        ]),
      ),
    },
    {
      "archive-link@1.0.0": await archiveOf(base, `ln -s ${outside}/evil.sh package/index.js; tar -czf a.tgz package`),
      "archive-folder-link@1.0.0": await archiveOf(
        base,
        `ln -s ${outside} package/lib; tar -czf a.tgz package; mkdir x; tar -xzf a.tgz -C x; rm x/package/lib; mkdir x/package/lib; echo 1 > x/package/lib/marker; gunzip a.tgz; tar -rf a.tar -C x package/lib/marker; gzip -c a.tar > a.tgz`,
      ),
      "archive-hard-link@1.0.0": await archiveOf(
        base,
        `echo 1 > package/one; ln package/one package/two; tar -cf a.tar --transform='s,^package/one$,${outside}/evil.sh,h' -P package; gzip -c a.tar > a.tgz`,
      ),
      "archive-climb@1.0.0": await archiveOf(
        base,
        `echo 1 > package/x; tar -czPf a.tgz --transform='s,package/x,package/../../../../../outside/marker,' package`,
      ),
      "archive-absolute@1.0.0": await archiveOf(
        base,
        `echo 1 > package/x; tar -czPf a.tgz --transform='s,package/x,${marker},' package`,
      ),
      "archive-pipe@1.0.0": await archiveOf(base, "mkfifo package/index.js; tar -czf a.tgz package"),
    },
  );
  return [registry, elsewhere];
}
