import type { AccountDocument, AccountSection, NestedList } from "@parley/contract";
import { queryOptions, useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { useEffect } from "../state/effects.ts";
import { useWorkspace, workspaceQuery } from "../workspace/workspace.ts";
import { adminCalls } from "./admin-client.ts";

/** The configuration of an account. No event says that a command or a program changed it: each page reads it, and again when the agent comes back to it. */
const documentQuery = (account: string) =>
  queryOptions({
    queryKey: ["admin", "document", account],
    queryFn: ({ signal }) => adminCalls.getAccount({ params: { account }, signal }),
    staleTime: 0,
    refetchOnWindowFocus: true,
  });

/** Parts of the configuration; omitted parts stay as they are. */
export interface AccountChange extends Omit<AccountDocument, "name" | "prune" | "remove" | "$schema"> {
  /** Lists that the changed fields or channels contain completely. */
  readonly prune?: NestedList[];
}

/** The configuration of the agent's account, and its changes. A change that the service refuses changes nothing and is thrown. */
export interface AccountConfigurationState {
  readonly query: UseQueryResult<AccountDocument>;
  /** Reads the configuration as it is now. */
  readonly reread: () => Promise<AccountDocument>;
  readonly change: (change: AccountChange) => Promise<void>;
  /** @shape entry: id or name, as the document's `remove` takes it */
  readonly remove: (section: AccountSection, entry: string) => Promise<void>;
}

export const useAccountDocument = (): AccountConfigurationState => {
  const queries = useQueryClient();
  const account = useWorkspace().account.name;
  const query = useQuery(documentQuery(account));
  const { refetch } = query;
  useEffect(() => {
    // A window beside this one can have had the focus: the page was visible all the time then.
    const refresh = (): void => void refetch({ cancelRefetch: false });
    window.addEventListener("focus", refresh);
    return () => window.removeEventListener("focus", refresh);
  }, [refetch]);
  const apply = async (part: Omit<AccountDocument, "name">): Promise<void> => {
    await adminCalls.applyAccount({ params: { account }, body: { name: account, ...part } });
    await Promise.all([
      queries.invalidateQueries({ queryKey: documentQuery(account).queryKey }),
      // Names of groups, topics and properties.
      queries.invalidateQueries({ queryKey: workspaceQuery.queryKey }),
    ]);
  };
  return {
    query,
    reread: async () => (await refetch({ throwOnError: true })).data ?? { name: account },
    change: apply,
    remove: (section, entry) => apply({ remove: { [section]: [entry] } }),
  };
};
