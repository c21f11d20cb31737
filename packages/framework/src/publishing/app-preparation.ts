import { PACKAGE_REFUSED, PACKAGE_TOO_LARGE, refuse, UNPACKED_BYTES_MAX, type AppDeclaration } from "@parley/contract";
import type { Log } from "@parley/telemetry";
import { ensureDependencies } from "../package/dependencies/dependencies.ts";
import { readAppFileText } from "../package/files/app-file.ts";
import { loadProject, type ProjectTools } from "../package/load/load.ts";
import { findingLine, isRunnable, type Finding } from "../model/finding.ts";
import { appTitle, type Project } from "../model/project.ts";
import { packProject } from "../package/pack/pack.ts";
import type { Boundary, BoundaryName } from "../sandbox/boundary.ts";
import { appIcon } from "./app-icon.ts";
import { appDeclaration } from "./declaration.ts";
import { projectJson } from "./project-json.ts";

/** A package after validation, in the form that is stored. */
export interface PreparedVersion {
  readonly digest: string;
  /** Archive of the files as they are served. */
  readonly files: Uint8Array;
  readonly project: string;
  readonly declaration: AppDeclaration;
  readonly icon: string | undefined;
}

/** An unpacked package. */
export interface UnpackedApp {
  readonly name: string;
  readonly digest: string;
  readonly folder: string;
  /** Isolation mechanism for the tools that read the app. */
  readonly boundary: BoundaryName;
  /** @shape the part of an account's host after its name: ".parley.localhost" */
  readonly domainSuffix: string;
}

interface PreparationTools {
  readonly boundary: Boundary;
  readonly tools: ProjectTools;
  readonly log: Log;
  /** Called when the dependencies are installed: the rest takes only this machine's time. */
  readonly installed?: () => void;
}

/** Errors that the message of a refusal lists. */
const LISTED_FINDINGS_MAX = 5;
/** @units characters */
const FINDING_CHARACTERS_MAX = 400;

const shortened = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max)}…` : text);

/** @errors Refusal PACKAGE_REFUSED if a finding is an error */
const checkFindings = (findings: readonly Finding[]): void => {
  const errors = findings.filter(({ level }) => level === "error");
  if (errors.length === 0) return;
  const lines = errors
    .slice(0, LISTED_FINDINGS_MAX)
    .map((finding) => shortened(findingLine(finding), FINDING_CHARACTERS_MAX));
  const more = errors.length > LISTED_FINDINGS_MAX ? [`and ${errors.length - LISTED_FINDINGS_MAX} more`] : [];
  const count = errors.length === 1 ? "an error" : `${errors.length} errors`;
  refuse(PACKAGE_REFUSED, `The app has ${count}: ${[...lines, ...more].join("; ")}.`);
};

/** @units characters */
const DESCRIPTION_CHARACTERS_MAX = 500;

/** First paragraph of the app's README, if its heading is the app's name or title: another README describes something else. */
const readmeDescription = (name: string, readme: string): string => {
  const [, heading = "", paragraph = ""] =
    /^\s*#\s+([^\n]*)\n\s*\n?([^#\s<![|`>*-][^\n]*(?:\n(?!\s*\n|#)[^\n]+)*)/.exec(readme.replaceAll("\r\n", "\n")) ??
    [];
  const isOfApp = [name, appTitle(name)].some((text) => text.toLowerCase() === heading.trim().toLowerCase());
  return isOfApp ? paragraph.replace(/\s+/g, " ").trim() : "";
};

/**
 * Installs the dependencies of an unpacked app, validates it, and bundles its code with them.
 * @errors Refusal PACKAGE_REFUSED | PACKAGE_TOO_LARGE
 */
export const prepareApp = async (
  { name, digest, folder, domainSuffix }: UnpackedApp,
  { boundary, tools, log, installed = () => undefined }: PreparationTools,
): Promise<PreparedVersion> => {
  checkFindings(await ensureDependencies(boundary, folder, log));
  installed();
  const packed = await packProject(folder, tools);
  checkFindings(packed.findings);
  const loaded = await loadProject(folder, tools);
  checkFindings(loaded.findings);
  if (!packed.package || !loaded.project || !isRunnable(loaded.findings)) return refuse(PACKAGE_REFUSED);
  const description =
    loaded.project.description || readmeDescription(name, (await readAppFileText(folder, "README.md")) ?? "");
  const project: Project = {
    ...loaded.project,
    name,
    description: shortened(description, DESCRIPTION_CHARACTERS_MAX),
    version: digest,
  };
  const text = projectJson(project);
  if (text.length > UNPACKED_BYTES_MAX)
    return refuse(
      PACKAGE_TOO_LARGE,
      "The code of the app with its dependencies is too large. Use smaller dependencies.",
    );
  return {
    digest,
    files: packed.package.zip,
    project: text,
    declaration: appDeclaration(project, domainSuffix),
    icon: appIcon(project, packed.package.files),
  };
};
