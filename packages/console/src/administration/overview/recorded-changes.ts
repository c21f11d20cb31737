import type { AuditAction, AuditEntry } from "@parley/contract";
import { queryOptions } from "@tanstack/react-query";
import { adminCalls } from "../admin-client.ts";
import type { RecordedChanges } from "./first-steps.ts";

/** Newest entries of an action that are read. */
const ENTRIES_READ = 100;

const sectionsOf = ({ details }: AuditEntry): readonly string[] =>
  Array.isArray(details["changes"])
    ? details["changes"].flatMap(({ section }: { readonly section?: unknown }) =>
        typeof section === "string" ? [section] : [],
      )
    : [];

/** Actions of people and programs in an account. Actions of the start of Parley itself do not count. */
export const recordedChangesQuery = (account: string) =>
  queryOptions({
    queryKey: ["admin", "recorded-changes", account],
    queryFn: async ({ signal }): Promise<RecordedChanges> => {
      const entriesOf = async (action: AuditAction): Promise<readonly AuditEntry[]> => {
        const query = { action, items_per_page: ENTRIES_READ };
        const { entries } = await adminCalls.listAuditLog({ params: { account }, query, signal });
        return entries.filter(({ actor }) => actor.type !== "system");
      };
      const [changes, agents, installed, changed, tokens] = await Promise.all(
        (["account.change", "agent.create", "app.install", "app.change", "token.create"] as const).map(entriesOf),
      );
      return {
        sections: new Set((changes ?? []).flatMap(sectionsOf)),
        hasCreatedAgent: (agents ?? []).length > 0,
        hasInstalledApp: [...(installed ?? []), ...(changed ?? [])].length > 0,
        createdTokenIds: new Set((tokens ?? []).flatMap(({ subject = [] }) => subject)),
      };
    },
  });
