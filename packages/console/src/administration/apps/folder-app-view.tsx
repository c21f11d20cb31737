import type { FolderApp } from "@parley/contract";
import { formatDateTime } from "../../i18n/format.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import administration from "../administration.module.css";
import { PageHeader } from "../page-header.tsx";
import { Facts } from "../section.tsx";
import { AppIcon } from "./app-icon.tsx";
import styles from "./apps.module.css";
import { CallsSection } from "./calls-section.tsx";
import { DeclarationView, Disclosure } from "./declaration-view.tsx";
import { FailedEventsSection } from "./failed-events-section.tsx";
import { FolderAppStateBadge } from "./installed-table.tsx";
import { appsPageMessages as texts } from "./messages.ts";
import { PageLink } from "./page-link.tsx";
import { SchedulesSection } from "./schedules-section.tsx";

interface FolderAppViewProps {
  readonly account: string;
  readonly app: FolderApp;
}

/** An app that a developer serves from a folder: its rights and its activity. The steps of its life are the developer's. */
export const FolderAppView = ({ account, app }: FolderAppViewProps) => {
  const known = { account, name: app.name };
  return (
    <>
      <PageHeader isOverview title={app.title} intro={app.description}>
        <PageLink href={app.page}>{app.installation ? texts.parameters : texts.installationPage}</PageLink>
      </PageHeader>
      <p className={administration.notice}>{texts.folderText}</p>
      {app.errors && (
        <section className={administration.notice}>
          <h2 className={styles.partTitle}>{texts.folderErrors}</h2>
          <p>{texts.folderErrorsText}</p>
          <ul>
            {app.errors.map((line) => (
              <li key={line}>
                <code>{line}</code>
              </li>
            ))}
          </ul>
        </section>
      )}
      <div className={administration.cardSection}>
        <Facts
          of={[
            [
              texts.version,
              <span key="version" className={styles.named}>
                <AppIcon icon={app.icon} />
                {app.version ?? texts.noVersion}
              </span>,
            ],
            [texts.state, <FolderAppStateBadge key="state" app={app} />],
            [texts.installedOn, app.installation && formatDateTime(app.installation.installed_time)],
            [texts.changedOn, app.installation && formatDateTime(app.installation.changed_time)],
          ]}
        />
      </div>
      <Disclosure>
        <DeclarationView declaration={app.declaration} />
      </Disclosure>
      {app.installation ? (
        <>
          <FailedEventsSection app={known} eventsUrl={app.events_url} />
          <CallsSection app={known} />
          <SchedulesSection app={known} />
        </>
      ) : (
        <EmptyState icon="app" title={texts.folderNotInstalled} text={texts.folderNotInstalledText} />
      )}
    </>
  );
};
