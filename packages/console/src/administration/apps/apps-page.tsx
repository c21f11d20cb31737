import type { CatalogueApp, InstallationDetails } from "@parley/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { formatDateTime } from "../../i18n/format.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useWorkspace } from "../../workspace/workspace.ts";
import administration from "../administration.module.css";
import { LoadState } from "../load-state.tsx";
import { administrationMessages } from "../messages.ts";
import { PageHeader } from "../page-header.tsx";
import { RecordTable, type Column } from "../record-table.tsx";
import { AppIcon } from "./app-icon.tsx";
import styles from "./apps.module.css";
import { catalogueQuery, installationsQuery } from "./apps-query.ts";
import { CatalogueDialog } from "./catalogue-dialog.tsx";
import { appMessages as texts } from "./messages.ts";

const columnsOf = (catalogue: readonly CatalogueApp[]): readonly Column<InstallationDetails>[] => [
  {
    id: "name",
    label: texts.name,
    cell: ({ name, title }) => (
      <span className={styles.named}>
        <AppIcon icon={catalogue.find((app) => app.name === name)?.icon} />
        <Link to="/admin/apps/$name" params={{ name }}>
          {title}
        </Link>
      </span>
    ),
  },
  {
    id: "version",
    label: texts.version,
    cell: ({ version, newer_version: newer }) => (
      <>
        {version} {newer !== undefined && <Badge tone="accent">{texts.newer(newer)}</Badge>}
      </>
    ),
  },
  {
    id: "state",
    label: texts.state,
    cell: ({ state, is_running }) => (
      <>
        <Badge tone={state === "active" ? "success" : "warning"}>{texts[state]}</Badge>
        {state === "active" && <span className={administration.detail}>{is_running ? texts.running : texts.idle}</span>}
      </>
    ),
  },
  { id: "installed", label: texts.installedOn, cell: ({ installed_time }) => formatDateTime(installed_time) },
];

interface InstalledProps {
  readonly installations: readonly InstallationDetails[];
  readonly catalogue: readonly CatalogueApp[];
}

const Installed = ({ installations, catalogue }: InstalledProps) =>
  installations.length === 0 ? (
    <EmptyState icon="app" title={texts.noneInstalled}>
      <p>{texts.noneInstalledText}</p>
    </EmptyState>
  ) : (
    <RecordTable label={texts.installed} columns={columnsOf(catalogue)} records={installations} idOf={({ id }) => id} />
  );

interface OfferedProps {
  readonly app: CatalogueApp;
  readonly onOpen: () => void;
}

const Offered = ({ app: { title, description, icon, versions }, onOpen }: OfferedProps) => {
  const [newest] = versions;
  return (
    <div className={styles.app}>
      <div className={styles.named}>
        <AppIcon icon={icon} />
        <div>
          <h3 className={styles.appTitle}>{title}</h3>
          {newest && (
            <span className={administration.detail}>
              {texts.newest(newest.version, formatDateTime(newest.published_time))}, {texts.versions(versions.length)}
            </span>
          )}
        </div>
      </div>
      <p className={styles.description}>{description}</p>
      <div>
        <Button onPress={onOpen} aria-label={texts.installNamed(title)}>
          {texts.install}
        </Button>
      </div>
    </div>
  );
};

const Catalogue = ({ installations, catalogue }: InstalledProps) => {
  const [opened, setOpened] = useState<string>();
  const offered = catalogue.filter(({ name }) => !installations.some((installed) => installed.name === name));
  // An app that was installed in another tab closes its dialog.
  const app = offered.find(({ name }) => name === opened);
  if (catalogue.length === 0)
    return (
      <EmptyState icon="app" title={texts.noneOffered}>
        <p>{texts.noneOfferedText}</p>
      </EmptyState>
    );
  return (
    <>
      {offered.length === 0 && <p className={administration.muted}>{texts.allInstalled}</p>}
      <ul className={administration.cards}>
        {offered.map((each) => (
          <li key={each.name}>
            <Offered app={each} onOpen={() => setOpened(each.name)} />
          </li>
        ))}
      </ul>
      {app && <CatalogueDialog app={app} onClose={() => setOpened(undefined)} />}
    </>
  );
};

/** The apps of the account: those that are installed, and those that can be. */
export const AppsPage = () => {
  const account = useWorkspace().account.name;
  const installed = useQuery(installationsQuery(account));
  const catalogue = useQuery(catalogueQuery(account));
  return (
    <div className={administration.page}>
      <PageHeader title={administrationMessages.apps} intro={administrationMessages.appsIntro} />
      <LoadState query={installed}>
        {(installations) => (
          <LoadState query={catalogue}>
            {(offered) => (
              <>
                <section className={styles.section}>
                  <h2 className={styles.heading}>{texts.installed}</h2>
                  <Installed installations={installations} catalogue={offered} />
                </section>
                <section className={styles.section}>
                  <h2 className={styles.heading}>{texts.catalogue}</h2>
                  <Catalogue installations={installations} catalogue={offered} />
                </section>
              </>
            )}
          </LoadState>
        )}
      </LoadState>
    </div>
  );
};
