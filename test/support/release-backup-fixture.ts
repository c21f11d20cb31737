import { createHash, randomBytes } from "node:crypto";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { vault } from "@parley/database";
import type { BackupManifest } from "../../packages/parley/src/backup/folder.ts";
import { ROOT } from "./parley-process.ts";

/** A backup that an earlier release wrote, with new secrets in place of the removed secrets. */
export interface ReleaseBackup {
  readonly folder: string;
  /** The token in the backup's file of keys. */
  readonly token: string;
}

const sha256 = (bytes: Buffer | string): string => createHash("sha256").update(bytes).digest("hex");

/** @shape release: "0.1.0"; folder: target, must not exist; changes: replacements for texts of its rows */
export async function releaseBackupFixture(
  release: string,
  folder: string,
  changes: Readonly<Record<string, string>> = {},
): Promise<ReleaseBackup> {
  await cp(join(ROOT, "test/releases", release), folder, { recursive: true });
  const secretsKey = randomBytes(32);
  const keys = {
    "secrets-key": secretsKey.toString("hex"),
    "admin-key": `parley_admin_${randomBytes(32).toString("base64url")}`,
    "api-key": `parley_${randomBytes(32).toString("base64url")}`,
    "app-key": `parley_${randomBytes(32).toString("base64url")}`,
  };
  await mkdir(join(folder, "keys"));
  for (const [name, key] of Object.entries(keys)) await writeFile(join(folder, "keys", name), `${key}\n`);

  const fillPlaceholders = (line: string): string => {
    const { id } = JSON.parse(line) as { id?: string };
    const changed = Object.entries(changes).reduce((text, [from, to]) => text.replace(from, () => to), line);
    return changed
      .replace("{{hash of api-key}}", sha256(keys["api-key"]))
      .replace("{{hash of app-key}}", sha256(keys["app-key"]))
      .replace("{{bytes}}", randomBytes(32).toString("hex"))
      .replace("{{secret}}", randomBytes(32).toString("base64"))
      .replace("{{sealed app-key}}", () => vault(secretsKey, randomBytes).seal(`${id}/api_key`, keys["app-key"]));
  };
  const manifest = JSON.parse(await readFile(join(folder, "backup.json"), "utf8")) as BackupManifest;
  const tables: BackupManifest["tables"][number][] = [];
  for (const table of manifest.tables) {
    const file = join(folder, "tables", `${table.schema}.${table.name}.ndjson.gz`);
    const lines = gunzipSync(await readFile(file))
      .toString()
      .split("\n")
      .filter(Boolean);
    const packed = gzipSync(lines.map((line) => `${fillPlaceholders(line)}\n`).join(""));
    await writeFile(file, packed);
    tables.push({ ...table, sha256: sha256(packed) });
  }
  await writeFile(join(folder, "backup.json"), JSON.stringify({ ...manifest, tables }));
  return { folder, token: keys["api-key"] };
}
