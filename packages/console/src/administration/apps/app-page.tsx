import type { InstallationDetails } from "@parley/contract";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { formatDateTime } from "../../i18n/format.ts";
import { Badge } from "../../ui/badge.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useWorkspace } from "../../workspace/workspace.ts";
import administration from "../administration.module.css";
import { LoadState } from "../load-state.tsx";
import { PageHeader } from "../page-header.tsx";
import styles from "./apps.module.css";
import { catalogueQuery, folderAppsQuery, installationsQuery, versionQuery } from "./apps-query.ts";
import { CallsSection } from "./calls-section.tsx";
import { DeclarationView } from "./declaration-view.tsx";
import { FailedEventsSection } from "./failed-events-section.tsx";
import { FolderAppView } from "./folder-app-view.tsx";
import { InstallationActions } from "./installation-actions.tsx";
import { InstallationStateBadge } from "./installed-table.tsx";
import { appsPageMessages as texts } from "./messages.ts";
import { SchedulesSection } from "./schedules-section.tsx";

interface InstallationProps {
  readonly account: string;
  readonly app: InstallationDetails;
}

const Facts = ({ app }: Pick<InstallationProps, "app">) => {
  const { version, newer_version: newer, paused_time } = app;
  return (
    <dl className={styles.facts}>
      <div>
        <dt>{texts.version}</dt>
        <dd>
          {version} {newer !== undefined && <Badge tone="accent">{texts.newer(newer)}</Badge>}
        </dd>
      </div>
      <div>
        <dt>{texts.state}</dt>
        <dd>
          <InstallationStateBadge app={app} />
        </dd>
      </div>
      {paused_time !== undefined && (
        <div>
          <dt>{texts.pausedOn}</dt>
          <dd>{formatDateTime(paused_time)}</dd>
        </div>
      )}
      <div>
        <dt>{texts.installedOn}</dt>
        <dd>{formatDateTime(app.installed_time)}</dd>
      </div>
      <div>
        <dt>{texts.changedOn}</dt>
        <dd>{formatDateTime(app.changed_time)}</dd>
      </div>
    </dl>
  );
};

/** Rights of the installed version. An app that was taken out of the catalogue keeps running; its rights are then unknown. */
const About = ({ account, app }: InstallationProps) => {
  const { data, error } = useQuery(versionQuery(account, app.name, app.version));
  return (
    <details className={`${styles.section} ${styles.disclosure}`}>
      <summary>
        <h2>{texts.about}</h2>
      </summary>
      {data ? <DeclarationView declaration={data} /> : error && <p>{texts.notOffered}</p>}
    </details>
  );
};

const Installation = ({ account, app }: InstallationProps) => {
  const catalogue = useQuery(catalogueQuery(account)).data;
  const known = { account, name: app.name };
  return (
    <>
      <PageHeader
        isOverview
        title={app.title}
        intro={catalogue?.find(({ name }) => name === app.name)?.description ?? ""}
      >
        <InstallationActions account={account} app={app} />
      </PageHeader>
      <Facts app={app} />
      <About account={account} app={app} />
      <FailedEventsSection app={known} />
      <CallsSection app={known} />
      <SchedulesSection app={known} />
    </>
  );
};

/** An app of the account: its state, its rights, its activity, and buttons to upgrade, pause and remove it. */
export const AppDetailsPage = () => {
  const { name } = useParams({ from: "/admin/apps/$name" });
  const account = useWorkspace().account.name;
  const installed = useQuery(installationsQuery(account));
  const folders = useQuery(folderAppsQuery(account));
  const query = {
    data: installed.data && folders.data && { installations: installed.data, folderApps: folders.data },
    error: installed.error ?? folders.error,
    refetch: () => Promise.all([installed.refetch(), folders.refetch()]),
  };
  return (
    <div className={administration.page}>
      <Link to="/admin/apps" className={styles.back}>
        <Icon name="back" />
        {texts.all}
      </Link>
      <LoadState query={query}>
        {({ installations, folderApps }) => {
          const app = installations.find((each) => each.name === name);
          if (app) return <Installation key={name} account={account} app={app} />;
          const served = folderApps.find((each) => each.name === name);
          if (served) return <FolderAppView key={name} account={account} app={served} />;
          return (
            <EmptyState isPage icon="app" title={texts.notInstalled}>
              <p>{texts.notInstalledText}</p>
            </EmptyState>
          );
        }}
      </LoadState>
    </div>
  );
};
