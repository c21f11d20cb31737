import type { Finding } from "../project/finding.ts";
import type { Project } from "../project/project.ts";
import { textFile, type PackedFile } from "./walk.ts";

const countOf = (findings: readonly Finding[], wanted: Finding["level"]): number =>
  findings.filter(({ level }) => level === wanted).length;

/** What validation said of the app. @assumed `.report.json` holds our verdict in our own form: findings and their summary, no times */
export const verdictFile = ({ platformVersion }: Project, findings: readonly Finding[]): PackedFile =>
  textFile(
    ".report.json",
    `${JSON.stringify(
      {
        "platform-version": platformVersion,
        summary: { errors: countOf(findings, "error"), warnings: countOf(findings, "warning") },
        // Corrections are for the author's folder.
        findings: findings.map(({ fix: _fix, ...finding }) => finding),
      },
      null,
      2,
    )}\n`,
  );
