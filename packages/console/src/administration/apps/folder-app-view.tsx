import type { FolderApp } from "@parley/contract";
import { formatDateTime } from "../../i18n/format.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import administration from "../administration.module.css";
import { PageHeader } from "../page-header.tsx";
import { AppIcon } from "./app-icon.tsx";
import styles from "./apps.module.css";
import { CallsSection } from "./calls-section.tsx";
import { DeclarationView } from "./declaration-view.tsx";
import { FailedEventsSection } from "./failed-events-section.tsx";
import { FolderAppStateBadge } from "./installed-table.tsx";
import { appsPageMessages as texts } from "./messages.ts";
import { PageLink } from "./page-link.tsx";
import { SchedulesSection } from "./schedules-section.tsx";

interface FolderAppViewProps {
  readonly account: string;
  readonly app: FolderApp;
}

const Facts = ({ app }: Pick<FolderAppViewProps, "app">) => (
  <dl className={styles.facts}>
    <div>
      <dt>{texts.version}</dt>
      <dd className={styles.named}>
        <AppIcon icon={app.icon} />
        {app.version ?? texts.noVersion}
      </dd>
    </div>
    <div>
      <dt>{texts.state}</dt>
      <dd>
        <FolderAppStateBadge app={app} />
      </dd>
    </div>
    {app.installation && (
      <>
        <div>
          <dt>{texts.installedOn}</dt>
          <dd>{formatDateTime(app.installation.installed_time)}</dd>
        </div>
        <div>
          <dt>{texts.changedOn}</dt>
          <dd>{formatDateTime(app.installation.changed_time)}</dd>
        </div>
      </>
    )}
  </dl>
);

/** An app that a developer serves from a folder: its rights and its activity. The steps of its life are the developer's. */
export const FolderAppView = ({ account, app }: FolderAppViewProps) => {
  const known = { account, name: app.name };
  return (
    <>
      <PageHeader isOverview title={app.title} intro={app.description}>
        <PageLink href={app.page}>{app.installation ? texts.parameters : texts.installationPage}</PageLink>
      </PageHeader>
      <p className={administration.notice}>{texts.folderText}</p>
      <Facts app={app} />
      <details className={`${styles.section} ${styles.disclosure}`}>
        <summary>
          <h2>{texts.about}</h2>
        </summary>
        <DeclarationView declaration={app.declaration} />
      </details>
      {app.installation ? (
        <>
          <FailedEventsSection app={known} eventsUrl={app.events_url} />
          <CallsSection app={known} />
          <SchedulesSection app={known} />
        </>
      ) : (
        <EmptyState icon="app" title={texts.folderNotInstalled}>
          <p>{texts.folderNotInstalledText}</p>
        </EmptyState>
      )}
    </>
  );
};
