import type { InstallationDetails } from "@parley/contract";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { formatDateTime } from "../../i18n/format.ts";
import { Badge } from "../../ui/badge.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { useWorkspace } from "../../workspace/workspace.ts";
import administration from "../administration.module.css";
import { LoadState } from "../load-state.tsx";
import { BackLink, PageHeader } from "../page-header.tsx";
import { Facts } from "../section.tsx";
import { catalogueQuery, folderAppsQuery, installationsQuery, versionQuery } from "./apps-query.ts";
import { CallsSection } from "./calls-section.tsx";
import { DeclarationView, Disclosure } from "./declaration-view.tsx";
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

const InstallationFacts = ({ app }: Pick<InstallationProps, "app">) => {
  const { version, newer_version: newer, paused_time, installed_time, changed_time } = app;
  return (
    <div className={administration.cardSection}>
      <Facts
        of={[
          [
            texts.version,
            <>
              {version} {newer !== undefined && <Badge tone="accent">{texts.newer(newer)}</Badge>}
            </>,
          ],
          [texts.state, <InstallationStateBadge key="state" app={app} />],
          [texts.pausedOn, paused_time && formatDateTime(paused_time)],
          [texts.installedOn, formatDateTime(installed_time)],
          [texts.changedOn, formatDateTime(changed_time)],
        ]}
      />
    </div>
  );
};

/** Rights of the installed version. An app that was taken out of the catalogue keeps running; its rights are then unknown. */
const About = ({ account, app }: InstallationProps) => {
  const { data, error } = useQuery(versionQuery(account, app.name, app.version));
  return <Disclosure>{data ? <DeclarationView declaration={data} /> : error && <p>{texts.notOffered}</p>}</Disclosure>;
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
      <InstallationFacts app={app} />
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
      <BackLink to="/admin/apps" label={texts.all} />
      <LoadState query={query}>
        {({ installations, folderApps }) => {
          const app = installations.find((each) => each.name === name);
          if (app) return <Installation key={name} account={account} app={app} />;
          const served = folderApps.find((each) => each.name === name);
          if (served) return <FolderAppView key={name} account={account} app={served} />;
          return <EmptyState isPage icon="app" title={texts.notInstalled} text={texts.notInstalledText} />;
        }}
      </LoadState>
    </div>
  );
};
