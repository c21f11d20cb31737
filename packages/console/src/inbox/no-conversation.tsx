import { useQuery } from "@tanstack/react-query";
import { openTestCustomer } from "../test-customer/test-customer-state.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { inboxMessages as texts } from "./messages.ts";
import styles from "./inbox-page.module.css";
import { countsQuery } from "./views-query.ts";

const KEYS = [
  { keys: "J / K", text: texts.keysMove },
  { keys: "↵", text: texts.keysOpen },
  { keys: "X", text: texts.keysSelect },
  { keys: "?", text: texts.keysAll },
] as const;

/** Stands beside the list while no conversation is open. */
export const NoConversation = () => {
  const { data: counts } = useQuery(countsQuery);
  // The list says what to do first.
  if (counts && counts.open + counts.resolved === 0) return undefined;
  return (
    <EmptyState icon="inbox" title={texts.chooseOne}>
      <dl className={styles.keys}>
        {KEYS.map(({ keys, text }) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <Button variant="quiet" icon="play" onPress={openTestCustomer}>
        {texts.tryIt}
      </Button>
    </EmptyState>
  );
};
