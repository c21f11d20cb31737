import type { CatalogueApp, FolderApp, InstallationDetails } from "@parley/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatDateTime } from "../../i18n/format.ts";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useWorkspace } from "../../workspace/workspace.ts";
import administration from "../administration.module.css";
import { LoadState } from "../load-state.tsx";
import { administrationMessages } from "../messages.ts";
import { PageHeader } from "../page-header.tsx";
import { Section } from "../section.tsx";
import { AppIcon } from "./app-icon.tsx";
import styles from "./apps.module.css";
import { catalogueQuery, folderAppsQuery, installationsQuery } from "./apps-query.ts";
import { CatalogueDialog } from "./catalogue-dialog.tsx";
import { InstalledTable } from "./installed-table.tsx";
import { appsPageMessages as texts } from "./messages.ts";

interface AppsProps {
  readonly installations: readonly InstallationDetails[];
  readonly folderApps: readonly FolderApp[];
  readonly catalogue: readonly CatalogueApp[];
}

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

const Catalogue = ({ installations, folderApps, catalogue }: AppsProps) => {
  const [opened, setOpened] = useState<string>();
  const present = [...installations, ...folderApps].map(({ name }) => name);
  const offered = catalogue.filter(({ name }) => !present.includes(name));
  // An app that was installed in another tab closes its dialog.
  const app = offered.find(({ name }) => name === opened);
  if (catalogue.length === 0) return <EmptyState icon="app" title={texts.noneOffered} text={texts.noneOfferedText} />;
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

/** The apps of the account: those that are installed, those that are served from folders, and those that can be installed. */
export const AppsPage = () => {
  const account = useWorkspace().account.name;
  const installed = useQuery(installationsQuery(account));
  const folders = useQuery(folderAppsQuery(account));
  const catalogue = useQuery(catalogueQuery(account));
  const isRead = installed.data && folders.data && catalogue.data;
  const query = {
    data: isRead && { installations: installed.data, folderApps: folders.data, offered: catalogue.data },
    error: installed.error ?? folders.error ?? catalogue.error,
    refetch: () => Promise.all([installed.refetch(), folders.refetch(), catalogue.refetch()]),
  };
  return (
    <div className={administration.page}>
      <PageHeader title={administrationMessages.apps} intro={administrationMessages.appsIntro} />
      <LoadState query={query}>
        {({ installations, folderApps, offered }) => (
          <>
            <Section title={texts.installed}>
              <InstalledTable
                installations={installations}
                folderApps={folderApps}
                iconOf={(name) => offered.find((app) => app.name === name)?.icon}
              />
            </Section>
            <Section title={texts.catalogue}>
              <Catalogue installations={installations} folderApps={folderApps} catalogue={offered} />
            </Section>
          </>
        )}
      </LoadState>
    </div>
  );
};
