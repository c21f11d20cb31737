import { type Finding, isRunnable } from "../../model/finding.ts";
import type { Project } from "../../model/project.ts";
import { textFile, type PackedFile, compareWalkOrder, readAppFileBytes } from "../files/app-file.ts";
import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import type { Bundler } from "../bundler/bundler.ts";
import type { ProjectTools } from "../load/load.ts";
import { MANIFEST_FILE } from "../../model/manifest.ts";
import { validateProject } from "../validate/validate.ts";
import { packAppFiles } from "./app-files.ts";
import { contentDigestOf, createArchive, digestOf, REPORT_FILE } from "./archive.ts";
import { packConfig } from "./assets-file.ts";
import { fieldManifest, type FieldJson, type PackTarget, jsonFile } from "./json-file.ts";
import { fieldSizeFindings, fileSizeFindings, packageSizeFindings } from "../validate/size-limits.ts";
import { packServer } from "./server-file.ts";

const countOf = (findings: readonly Finding[], wanted: Finding["level"]): number =>
  findings.filter(({ level }) => level === wanted).length;

/**
 * The validation report. @assumed `.report.json` has a format of Parley: findings and their summary, without times, and the digest of all other files,
 * since `digest.md5` of the field covers only app/ and manifest.json
 */
const reportFile = (
  { platformVersion }: Project,
  findings: readonly Finding[],
  files: readonly PackedFile[],
): PackedFile =>
  textFile(
    REPORT_FILE,
    `${JSON.stringify(
      {
        "platform-version": platformVersion,
        sha256: contentDigestOf(files),
        summary: { errors: countOf(findings, "error"), warnings: countOf(findings, "warning") },
        // Fixes apply to the author's folder only.
        findings: findings.map(({ fix: _fix, ...finding }) => finding),
      },
      null,
      2,
    )}\n`,
  );

export interface Package {
  /** Name of the archive without its extension. */
  readonly name: string;
  /** In the order of the archive. */
  readonly files: readonly PackedFile[];
  readonly zip: Uint8Array;
  readonly sha256: string;
  /** Files in the packed folders that are not part of the package. */
  readonly leftOut: readonly string[];
}

/** The package is present if no finding prevents the app from running. */
export interface PackResult {
  readonly package?: Package;
  readonly findings: readonly Finding[];
}

const README = "README.md";

const nameOf = (name: string): string => name.replace(/^@/, "").replace(/[^\w.-]+/g, "-") || "app";

async function readme(folder: string): Promise<PackedFile[]> {
  const bytes = await readAppFileBytes(folder, README);
  return bytes ? [{ path: README, bytes }] : [];
}

async function packedManifest(folder: string, target: PackTarget): Promise<FieldJson> {
  const packedFile = await jsonFile(folder, MANIFEST_FILE);
  if (target !== "field") return packedFile;
  const { file, findings } = fieldManifest(packedFile.file);
  return { file, findings: [...packedFile.findings, ...findings] };
}

interface Validated {
  readonly folder: string;
  readonly project: Project;
  readonly before: readonly Finding[];
}

async function createPackage(
  bundler: Bundler,
  { folder, project, before }: Validated,
  target: PackTarget,
): Promise<PackResult> {
  const [app, server, config, manifest, about] = await Promise.all([
    packAppFiles(bundler, folder),
    packServer(bundler, folder, project),
    packConfig(bundler, { folder, project }, target),
    packedManifest(folder, target),
    readme(folder),
  ]);
  const parts = [app, server, config];
  const files = [...parts.flatMap((part) => [...part.files].sort(compareWalkOrder)), manifest.file, ...about];
  const knownFindings = new Set(before.map((finding) => JSON.stringify(finding)));
  const own = [...parts, manifest].flatMap(({ findings }) => findings);
  const findings = [
    ...before,
    ...own.filter((finding) => !knownFindings.has(JSON.stringify(finding))),
    ...fileSizeFindings(files),
    ...(target === "field" ? fieldSizeFindings(files) : []),
  ];
  if (!isRunnable(findings)) return { findings };
  const all = [...files, reportFile(project, findings, files), textFile("digest.md5", digestOf(files))];
  const zip = createArchive(all);
  const tooLarge = packageSizeFindings(zip, files);
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
 * Creates an app's package. The same files produce the same bytes on any machine.
 * @errors errors of the machine, such as an unreadable file; errors of the app are findings
 */
export async function packProject(
  folder: string,
  tools: ProjectTools,
  target: PackTarget = "parley",
): Promise<PackResult> {
  const real = await realpath(folder);
  const { project, findings } = await validateProject(real, tools);
  return project ? createPackage(tools.bundler, { folder: real, project, before: findings }, target) : { findings };
}
