import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "../../ui/button.tsx";
import { showError, showToast } from "../../ui/toast-store.ts";
import { adminCalls } from "../admin-client.ts";
import administration from "../administration.module.css";
import { LoadState } from "../load-state.tsx";
import { RecordTable, type Column } from "../record-table.tsx";
import { Section } from "../section.tsx";
import { activityMessages as texts } from "./activity-messages.ts";
import { activityKey, failedEventsQuery, type AppOfAccount, type FailedEvent } from "./activity-query.ts";
import { ExactTime, formatExactTime } from "./exact-time.tsx";

const COLUMNS: readonly Column<FailedEvent>[] = [
  { id: "event", label: texts.event, cell: ({ name }) => name },
  { id: "time", label: texts.time, cell: ({ changed_time }) => <ExactTime time={changed_time} /> },
  { id: "error", label: texts.error, cell: ({ error }) => error },
  { id: "attempts", label: texts.attempts, cell: ({ tries }) => tries },
];

interface FailedEventsSectionProps {
  readonly app: AppOfAccount;
  /** Address at which an app in a folder receives events; absent for an installed version. */
  readonly eventsUrl?: string;
}

/** Events that the app failed to handle, and their replay. */
export const FailedEventsSection = ({ app, eventsUrl }: FailedEventsSectionProps) => {
  const queries = useQueryClient();
  const query = useQuery(failedEventsQuery(app, eventsUrl));
  const replay = async (subscription: string, body: { event_id: string } | { failed: true }): Promise<void> => {
    try {
      const params = { account: app.account, subscription_id: subscription };
      const { replayed } = await adminCalls.replayDeliveries({ params, body });
      showToast(texts.replayed(replayed));
      await queries.invalidateQueries({ queryKey: activityKey(app) });
    } catch (error) {
      showError(error);
    }
  };
  return (
    <Section title={texts.failedEvents}>
      <LoadState query={query}>
        {({ subscription, events, hasMore }) => {
          if (subscription === undefined || events.length === 0)
            return <p className={administration.muted}>{texts.noFailed}</p>;
          return (
            <>
              <p className={administration.muted}>{texts.failedIntro}</p>
              <div className={administration.tools}>
                <Button onPress={() => void replay(subscription, { failed: true })}>{texts.replayAll}</Button>
              </div>
              {hasMore && <p className={administration.muted}>{texts.failedMore}</p>}
              <RecordTable
                label={texts.failedEvents}
                columns={COLUMNS}
                records={events}
                idOf={({ event_id }) => event_id}
                actions={({ event_id, name, changed_time }) => (
                  <Button
                    isSmall
                    aria-label={texts.replayOne(name, formatExactTime(changed_time))}
                    onPress={() => void replay(subscription, { event_id })}
                  >
                    {texts.replay}
                  </Button>
                )}
              />
            </>
          );
        }}
      </LoadState>
    </Section>
  );
};
