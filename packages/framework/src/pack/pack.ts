import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { readBytes } from "../files/app-file.ts";
import type { Bundler } from "../bundler/bundler.ts";
import { isRunnable, type Finding } from "../project/finding.ts";
import type { ProjectTools } from "../project/load.ts";
import { MANIFEST } from "../project/manifest.ts";
import type { Project } from "../project/project.ts";
import { validateProject } from "../project/validate.ts";
import { packedApp } from "./app-files.ts";
import { archive } from "./archive.ts";
import { packedConfig } from "./assets-file.ts";
import { digestOf } from "./digest.ts";
import { fieldManifest, type FieldJson } from "./field-json.ts";
import { jsonFile } from "./json-file.ts";
import { fileLimits, packageLimits } from "./limits.ts";
import { packedServer } from "./server-file.ts";
import type { Target } from "./target.ts";
import { verdictFile } from "./verdict.ts";
import { inWalkOrder, textFile, type PackedFile } from "./walk.ts";

export interface Package {
  /** Of the archive, without its ending. */
  readonly name: string;
  /** In the order of the archive. */
  readonly files: readonly PackedFile[];
  readonly zip: Uint8Array;
  readonly sha256: string;
  /** What lies in the packed folders and did not go in. */
  readonly leftOut: readonly string[];
}

/** A package is there when nothing found keeps the app from running. */
export interface Packing {
  readonly package?: Package;
  readonly findings: readonly Finding[];
}

const README = "README.md";

const nameOf = (name: string): string => name.replace(/^@/, "").replace(/[^\w.-]+/g, "-") || "app";

async function readme(folder: string): Promise<PackedFile[]> {
  const bytes = await readBytes(folder, README);
  return bytes ? [{ path: README, bytes }] : [];
}

async function packedManifest(folder: string, target: Target): Promise<FieldJson> {
  const made = await jsonFile(folder, MANIFEST);
  if (target !== "field") return made;
  const { file, findings } = fieldManifest(made.file);
  return { file, findings: [...made.findings, ...findings] };
}

interface Validated {
  readonly folder: string;
  readonly project: Project;
  readonly before: readonly Finding[];
}

async function packed(bundler: Bundler, { folder, project, before }: Validated, target: Target): Promise<Packing> {
  const [app, server, config, manifest, about] = await Promise.all([
    packedApp(bundler, folder),
    packedServer(bundler, folder, project),
    packedConfig(bundler, { folder, project }, target),
    packedManifest(folder, target),
    readme(folder),
  ]);
  const parts = [app, server, config];
  const files = [...parts.flatMap((part) => [...part.files].sort(inWalkOrder)), manifest.file, ...about];
  const known = new Set(before.map((finding) => JSON.stringify(finding)));
  const own = [...parts, manifest].flatMap(({ findings }) => findings);
  const findings = [...before, ...own.filter((finding) => !known.has(JSON.stringify(finding))), ...fileLimits(files)];
  if (!isRunnable(findings)) return { findings };
  const all = [...files, verdictFile(project, findings), textFile("digest.md5", digestOf(files))];
  const zip = archive(all);
  const tooLarge = packageLimits(zip, files);
  if (tooLarge.length > 0) return { findings: [...findings, ...tooLarge] };
  return {
    findings,
    package: {
      name: nameOf(project.name),
      files: all,
      zip,
      sha256: createHash("sha256").update(zip).digest("hex"),
      leftOut: parts.flatMap(({ leftOut }) => leftOut).sort(),
    },
  };
}

/**
 * Makes the package of an app, the same bytes from the same files on any machine.
 * @errors trouble with the machine, such as a file that may not be read; what is wrong with the app is a finding
 */
export async function packProject(folder: string, tools: ProjectTools, target: Target = "parley"): Promise<Packing> {
  const real = await realpath(folder);
  const { project, findings } = await validateProject(real, tools);
  return project ? packed(tools.bundler, { folder: real, project, before: findings }, target) : { findings };
}
