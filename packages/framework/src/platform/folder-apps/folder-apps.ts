import type { FolderApp } from "@parley/contract";
import { readAppFileBytes } from "../../package/files/app-file.ts";
import { findingLine } from "../../model/finding.ts";
import { appTitle } from "../../model/project.ts";
import { folderIcon } from "../../publishing/app-icon.ts";
import { appDeclaration } from "../../publishing/declaration.ts";
import { packageInfoOf } from "../../publishing/published-name.ts";
import type { RecordOwner } from "../../state/records.sql.ts";
import type { AppUnit } from "../../unit/app-unit.ts";
import type { FolderInstallationStore } from "./store.ts";

/** An app that a host of this process reads from a folder. */
export interface LiveApp {
  readonly unit: AppUnit;
  /** Address of its installation page. */
  readonly page: string;
  /** Address at which it receives events. */
  readonly eventsUrl: string;
}

/** The version in package.json of a folder; undefined for a file without a version, or a file that is being edited. */
const versionIn = async (folder: string): Promise<string | undefined> => {
  const bytes = await readAppFileBytes(folder, "package.json");
  try {
    return bytes && packageInfoOf([{ path: "package.json", bytes }]).version;
  } catch {
    return undefined;
  }
};

/** A live app as admins see it. */
export const folderAppOf = async (
  { unit, page, eventsUrl }: LiveApp,
  { store, domainSuffix }: { readonly store: FolderInstallationStore; readonly domainSuffix: string },
): Promise<FolderApp> => {
  const { project, findings } = unit.newest();
  const errors = findings.filter(({ level }) => level === "error").map(findingLine);
  const [version, icon, installation] = await Promise.all([
    versionIn(project.folder),
    folderIcon(project),
    store.find(unit.engine.owner),
  ]);
  return {
    name: unit.engine.owner.project,
    title: appTitle(project.name),
    description: project.description,
    ...(version !== undefined && { version }),
    ...(icon !== undefined && { icon }),
    page,
    events_url: eventsUrl,
    declaration: appDeclaration(project, domainSuffix),
    ...(errors.length > 0 && { errors }),
    ...(installation && {
      installation: {
        installed_time: installation.created_time.toISOString(),
        changed_time: installation.updated_time.toISOString(),
      },
    }),
  };
};

/** -> the app of the owner, if a host of this process reads it from a folder */
export const liveAppOf = (apps: readonly LiveApp[], { project, account }: RecordOwner): LiveApp | undefined =>
  apps.find(({ unit: { engine } }) => engine.owner.project === project && engine.owner.account === account);
