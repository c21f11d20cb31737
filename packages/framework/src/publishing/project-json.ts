import { memberOf } from "@parley/contract";
import type { Project } from "../model/project.ts";

/** Format of stored projects. A change of `Project` that a running platform can't read from an earlier text needs a new number. */
const PROJECT_FORMAT = 1;

/** A stored project has a format that this release can't read. */
class ProjectFormatUnknown extends Error {
  override readonly name = "ProjectFormatUnknown";
}

/** A project as text, without its folder. */
export const projectJson = ({ folder: _folder, ...project }: Project): string =>
  JSON.stringify({ format: PROJECT_FORMAT, project });

/**
 * Reads a stored project.
 * @shape what: of the message, such as "version 2 of greeter"
 * @errors ProjectFormatUnknown
 */
export const projectFromJson = (text: string, folder: string, what: string): Project => {
  const stored: unknown = JSON.parse(text);
  const format = memberOf(stored, "format");
  if (format !== PROJECT_FORMAT)
    throw new ProjectFormatUnknown(
      `${what} was published by another release of Parley, in format ${String(format)}; this release reads format ${PROJECT_FORMAT}. ` +
        "Run that release, or publish the app again as a new version.",
    );
  return { ...(memberOf(stored, "project") as Omit<Project, "folder">), folder };
};
