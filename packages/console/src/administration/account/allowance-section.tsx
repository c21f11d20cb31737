import { queryOptions, useQuery } from "@tanstack/react-query";
import { formatNumber, formatTimeOfDay } from "../../i18n/format.ts";
import { Button } from "../../ui/button.tsx";
import { adminCalls } from "../admin-client.ts";
import shared from "../administration.module.css";
import { LoadState } from "../load-state.tsx";
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
    <section className={styles.section} aria-labelledby="allowance">
      <h2 id="allowance" className={shared.heading}>
        {texts.allowance}
      </h2>
      <p className={shared.muted}>{texts.allowanceHelp}</p>
      <LoadState query={query}>
        {({ calls }) => {
          const end = new Date(query.dataUpdatedAt + calls.reset * 1_000).toISOString();
          return (
            <>
              <dl className={styles.facts}>
                <div>
                  <dt>{texts.limit}</dt>
                  <dd>{formatNumber(calls.limit)}</dd>
                </div>
                <div>
                  <dt>{texts.used}</dt>
                  <dd>{formatNumber(calls.used)}</dd>
                </div>
                <div>
                  <dt>{texts.left}</dt>
                  <dd>{formatNumber(calls.left)}</dd>
                </div>
                <div>
                  <dt>{texts.ends}</dt>
                  <dd>{formatTimeOfDay(end)}</dd>
                </div>
              </dl>
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
    </section>
  );
};
