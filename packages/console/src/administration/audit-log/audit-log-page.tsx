import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { downloadFile } from "../../ui/download.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { showError } from "../../ui/toast-store.ts";
import { agentName, useWorkspace } from "../../workspace/workspace.ts";
import { adminCalls } from "../admin-client.ts";
import styles from "../administration.module.css";
import { LoadState } from "../load-state.tsx";
import { administrationMessages } from "../messages.ts";
import { PageHeader } from "../page-header.tsx";
import { auditCsv, entriesOf } from "./audit-csv.ts";
import { filterQuery, isFiltered, NO_FILTER, type AuditFilterValues } from "./audit-filter.ts";
import { AuditFilters } from "./audit-filters.tsx";
import own from "./audit-log.module.css";
import { auditKey, auditQuery } from "./audit-queries.ts";
import { AuditTable } from "./audit-table.tsx";
import type { KnownNames } from "./entry-texts.ts";
import { auditMessages as texts } from "./messages.ts";

const useKnownNames = (): KnownNames => {
  const { agents, groups } = useWorkspace();
  return {
    agent: (id) => {
      const found = agents.find((agent) => agent.id === id);
      return found && agentName(found);
    },
    group: (id) => groups.find((group) => group.id === id)?.name,
  };
};

interface PagesProps {
  readonly page: number;
  readonly pages: number;
  readonly total: number;
  readonly onChange: (page: number) => void;
}

const Pages = ({ page, pages, total, onChange }: PagesProps) => (
  <nav className={own.pages} aria-label={administrationMessages.auditLog}>
    <span role="status">
      {texts.total(total)}
      {pages > 1 && `, ${texts.page(page, pages)}`}
    </span>
    {pages > 1 && (
      <span className={styles.buttons}>
        <Button isDisabled={page <= 1} onPress={() => onChange(page - 1)}>
          {texts.newer}
        </Button>
        <Button isDisabled={page >= pages} onPress={() => onChange(page + 1)}>
          {texts.older}
        </Button>
      </span>
    )}
  </nav>
);

/** The audit log: changes with their actors, times and addresses. */
export const AuditLogPage = () => {
  const queries = useQueryClient();
  const account = useWorkspace().account.name;
  const known = useKnownNames();
  const [filter, setFilter] = useState<AuditFilterValues>(NO_FILTER);
  const [page, setPage] = useState(1);
  const [isLoading, setLoading] = useState(false);
  const query = useQuery(auditQuery(account, filter, page));

  const downloadCsv = async (): Promise<void> => {
    setLoading(true);
    try {
      const file = await adminCalls.exportAuditLog({ params: { account }, query: filterQuery(filter) });
      const csv = auditCsv(entriesOf(await file.text()), known);
      // The download is an entry itself.
      void queries.invalidateQueries({ queryKey: auditKey(account) });
      downloadFile(new Blob([csv], { type: "text/csv" }), `audit-log-${account}.csv`);
    } catch (error) {
      showError(error);
    } finally {
      setLoading(false);
    }
  };
  return (
    <div className={styles.page}>
      <PageHeader title={administrationMessages.auditLog} intro={administrationMessages.auditLogIntro}>
        <Button icon="download" isDisabled={isLoading} onPress={() => void downloadCsv()}>
          {texts.download}
        </Button>
      </PageHeader>
      <AuditFilters
        filter={filter}
        onChange={(next) => {
          setFilter(next);
          setPage(1);
        }}
      />
      <LoadState query={query}>
        {({ entries, pagination }) =>
          entries.length === 0 ? (
            isFiltered(filter) ? (
              <EmptyState icon="filter" title={texts.noMatch} text={texts.noMatchText} />
            ) : (
              <EmptyState icon="clock" title={texts.none} text={texts.noneText} />
            )
          ) : (
            <>
              <AuditTable entries={entries} known={known} />
              <Pages
                page={pagination.current_page}
                pages={pagination.total_pages}
                total={pagination.total_items}
                onChange={setPage}
              />
            </>
          )
        }
      </LoadState>
    </div>
  );
};
