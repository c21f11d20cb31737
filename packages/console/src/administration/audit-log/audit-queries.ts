import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { adminCalls } from "../admin-client.ts";
import { filterQuery, type AuditFilterValues } from "./audit-filter.ts";

const PAGE_SIZE = 50;

export const auditKey = (account: string) => ["admin", "audit-log", account] as const;

/** A page of the entries that match, the newest first. */
export const auditQuery = (account: string, filter: AuditFilterValues, page: number) =>
  queryOptions({
    queryKey: [...auditKey(account), filter, page],
    queryFn: ({ signal }) =>
      adminCalls.listAuditLog({
        params: { account },
        query: { ...filterQuery(filter), page, items_per_page: PAGE_SIZE },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
