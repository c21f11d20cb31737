import { queryOptions, useQuery } from "@tanstack/react-query";
import { formatNumber, formatTimeOfDay } from "../../i18n/format.ts";
import { Button } from "../../ui/button.tsx";
import { adminCalls } from "../admin-client.ts";
import { LoadState } from "../load-state.tsx";
import { Facts, Section } from "../section.tsx";
import styles from "./account.module.css";
import { usedPart } from "./account-values.ts";
import { accountMessages as texts } from "./messages.ts";

const allowanceQuery = (account: string) =>
  queryOptions({
    queryKey: ["admin", "allowance", account],
    queryFn: ({ signal }) => adminCalls.getAllowance({ params: { account }, signal }),
  });

/** Calls of the API in the present hour. */
export const AllowanceSection = ({ account }: { readonly account: string }) => {
  const query = useQuery(allowanceQuery(account));
  return (
    <Section isCard title={texts.allowance} intro={texts.allowanceHelp}>
      <LoadState query={query}>
        {({ calls }) => {
          const end = new Date(query.dataUpdatedAt + calls.reset * 1_000).toISOString();
          return (
            <>
              <Facts
                of={[
                  [texts.limit, formatNumber(calls.limit)],
                  [texts.used, formatNumber(calls.used)],
                  [texts.left, formatNumber(calls.left)],
                  [texts.ends, formatTimeOfDay(end)],
                ]}
              />
              <progress
                className={styles.bar}
                max={100}
                value={usedPart(calls)}
                aria-label={texts.usedPart(usedPart(calls))}
              />
              <Button isSmall isDisabled={query.isFetching} onPress={() => void query.refetch()}>
                {texts.reread}
              </Button>
            </>
          );
        }}
      </LoadState>
    </Section>
  );
};
