import { useQuery, useQueryClient } from "@tanstack/react-query";
import { formatNumber } from "../../i18n/format.ts";
import { onLiveItems } from "../../live/live.ts";
import { useEffect } from "../../state/effects.ts";
import { createThrottle } from "../../state/throttle.ts";
import { LoadState } from "../load-state.tsx";
import { Section } from "../section.tsx";
import { reportMessages as texts } from "./messages.ts";
import { LIVE_METRICS, LIVE_METRICS_KEY, liveMetricsQuery } from "./report-queries.ts";
import type { ReportView } from "./report-view.ts";
import styles from "./reports.module.css";

/** Shortest time between two readings, however many events arrive. @units milliseconds */
const READ_EVERY_MS = 2_000;

/** Reads the present values again after events. */
const useLiveMetrics = (): void => {
  const queries = useQueryClient();
  useEffect(() => {
    const noteEvents = createThrottle<string>(READ_EVERY_MS, () => {
      void queries.invalidateQueries({ queryKey: LIVE_METRICS_KEY });
    });
    return onLiveItems((items) => noteEvents(items.map(({ event }) => event).filter((event) => event !== "presence")));
  }, [queries]);
};

/** The present values of the account, or of a group or an agent. */
export const LiveValues = ({ view }: { readonly view: ReportView }) => {
  useLiveMetrics();
  const query = useQuery(liveMetricsQuery(view));
  return (
    <Section title={texts.now} intro={texts.nowHelp}>
      <LoadState query={query}>
        {(values) => (
          <dl className={styles.live}>
            {LIVE_METRICS.map((metric, index) => (
              <div key={metric} className={styles.liveValue}>
                <dt>{texts[metric]}</dt>
                <dd>{formatNumber(Number(values[index]))}</dd>
              </div>
            ))}
          </dl>
        )}
      </LoadState>
    </Section>
  );
};
