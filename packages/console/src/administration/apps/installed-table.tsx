import type { FolderApp, InstallationDetails } from "@parley/contract";
import { Link } from "@tanstack/react-router";
import { formatDateTime } from "../../i18n/format.ts";
import { Badge } from "../../ui/badge.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import administration from "../administration.module.css";
import { RecordTable, type Column } from "../record-table.tsx";
import { AppIcon } from "./app-icon.tsx";
import styles from "./apps.module.css";
import { appsPageMessages as texts } from "./messages.ts";

/** A row of the list: an installed version of the catalogue, or an app that a developer serves from a folder. */
type ListedApp =
  | { readonly kind: "installed"; readonly app: InstallationDetails; readonly icon: string | undefined }
  | { readonly kind: "folder"; readonly app: FolderApp; readonly icon: string | undefined };

/** Whether an app runs, as its row and its page say it. */
export const InstallationStateBadge = ({ app: { state, is_running } }: { readonly app: InstallationDetails }) => (
  <>
    <Badge tone={state === "active" ? "success" : "warning"}>{texts[state]}</Badge>
    {state === "active" && <span className={administration.detail}>{is_running ? texts.running : texts.idle}</span>}
  </>
);

export const FolderAppStateBadge = ({ app: { installation } }: { readonly app: FolderApp }) => (
  <Badge tone={installation ? "success" : "neutral"}>{installation ? texts.active : texts.notInstalledState}</Badge>
);

const COLUMNS: readonly Column<ListedApp>[] = [
  {
    id: "name",
    label: texts.name,
    cell: ({ app: { name, title }, icon }) => (
      <span className={styles.named}>
        <AppIcon icon={icon} />
        <Link to="/admin/apps/$name" params={{ name }}>
          {title}
        </Link>
      </span>
    ),
  },
  {
    id: "version",
    label: texts.version,
    cell: ({ kind, app }) =>
      kind === "folder" ? (
        <>
          {app.version ?? texts.noVersion} <Badge>{texts.fromFolder}</Badge>
        </>
      ) : (
        <>
          {app.version}{" "}
          {app.newer_version !== undefined && <Badge tone="accent">{texts.newer(app.newer_version)}</Badge>}
        </>
      ),
  },
  {
    id: "state",
    label: texts.state,
    cell: ({ kind, app }) =>
      kind === "folder" ? <FolderAppStateBadge app={app} /> : <InstallationStateBadge app={app} />,
  },
  {
    id: "installed",
    label: texts.installedOn,
    cell: ({ kind, app }) => {
      const time = kind === "folder" ? app.installation?.installed_time : app.installed_time;
      return time === undefined ? "" : formatDateTime(time);
    },
  },
];

interface InstalledTableProps {
  readonly installations: readonly InstallationDetails[];
  readonly folderApps: readonly FolderApp[];
  /** @shape name of the app -> data URL */
  readonly iconOf: (name: string) => string | undefined;
}

/** The apps of the account, with those of folders after the others. */
export const InstalledTable = ({ installations, folderApps, iconOf }: InstalledTableProps) => (
  <RecordTable
    label={texts.installed}
    columns={COLUMNS}
    records={[
      ...installations.map((app) => ({ kind: "installed", app, icon: iconOf(app.name) }) as const),
      ...folderApps.map((app) => ({ kind: "folder", app, icon: app.icon }) as const),
    ]}
    idOf={({ kind, app }) => `${kind} ${app.name}`}
    empty={<EmptyState icon="app" title={texts.noneInstalled} text={texts.noneInstalledText} />}
  />
);
