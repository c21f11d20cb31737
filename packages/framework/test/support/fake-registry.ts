import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface FakeRegistry {
  /** Content of an .npmrc that selects this registry. */
  readonly npmrc: string;
  /** @shape without a trailing slash */
  readonly origin: string;
  /** All received requests: path and headers, as text. */
  readonly requests: string[];
  close(): Promise<void>;
}

/** Builds a registry tarball: the files in `package/`, compressed. */
async function packed(folder: string, name: string, version: string, files: Readonly<Record<string, string>>) {
  const packageFolder = join(folder, `${name}-${version}`, "package");
  await mkdir(packageFolder, { recursive: true });
  for (const [file, text] of Object.entries(files)) await writeFile(join(packageFolder, file), text);
  const tar = spawnSync("tar", ["-czf", "../package.tgz", "package"], { cwd: join(packageFolder, "..") });
  if (tar.status !== 0) throw new Error(String(tar.stderr));
  return readFile(join(folder, "package.tgz"));
}

/**
 * Starts a local npm registry; `files` by `name@version`.
 * @shape archives: tarballs that replace the built ones, by `name@version`
 */
export async function startFakeRegistry(
  packages: Readonly<Record<string, Record<string, string>>>,
  suppliedArchives: Readonly<Record<string, Buffer>> = {},
): Promise<FakeRegistry> {
  const folder = await mkdtemp(join(tmpdir(), "parley-registry-"));
  const archives = new Map<string, Buffer>();
  const documents = new Map<
    string,
    { readonly versions: Record<string, unknown>; readonly [member: string]: unknown }
  >();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.url ?? ""} ${JSON.stringify(request.headers)}`);
    const path = decodeURIComponent(request.url ?? "").slice(1);
    const archive = archives.get(path);
    if (archive) return response.end(archive);
    const document = documents.get(path);
    return response
      .writeHead(document ? 200 : 404, { "content-type": "application/json" })
      .end(JSON.stringify(document ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const [key, files] of Object.entries(packages)) {
    const at = key.lastIndexOf("@");
    const [name, version] = [key.slice(0, at), key.slice(at + 1)];
    const about = { name, version, ...(JSON.parse(files["package.json"] ?? "{}") as object) };
    const archive =
      suppliedArchives[key] ??
      (await packed(folder, name.replace("/", "-"), version, { ...files, "package.json": JSON.stringify(about) }));
    archives.set(`${key}.tgz`, archive);
    const integrity = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
    const versions: Record<string, unknown> = documents.get(name)?.versions ?? {};
    versions[version] = { ...about, dist: { tarball: `${origin}/${key}.tgz`, integrity } };
    documents.set(name, { name, "dist-tags": { latest: version }, versions });
  }
  return {
    npmrc: `registry=${origin}/\n`,
    origin,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
