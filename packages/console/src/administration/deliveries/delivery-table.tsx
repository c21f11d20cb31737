import type { AdminDelivery } from "@parley/contract";
import { formatDateTime, formatNumber } from "../../i18n/format.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import styles from "../administration.module.css";
import { RecordTable, type Column } from "../record-table.tsx";
import { millisecondsText, isRepeatable, kindText, responseText, DELIVERY_STATE_TONES } from "./delivery-values.ts";
import own from "./deliveries.module.css";
import { deliveryMessages as texts } from "./messages.ts";

const State = ({ state, replay, next_time }: AdminDelivery) => (
  <>
    <Badge tone={DELIVERY_STATE_TONES[state]}>{texts[state]}</Badge>
    {replay && <span className={styles.detail}>{texts.replay}</span>}
    {next_time !== undefined && <span className={styles.detail}>{texts.nextTime(formatDateTime(next_time))}</span>}
  </>
);

const COLUMNS: readonly Column<AdminDelivery>[] = [
  {
    id: "event",
    label: texts.event,
    cell: ({ kind, event_id }) => (
      <>
        {kindText(kind)}
        <span className={styles.detail}>{event_id}</span>
      </>
    ),
  },
  { id: "time", label: texts.time, cell: ({ changed_time }) => formatDateTime(changed_time) },
  { id: "state", label: texts.state, cell: (delivery) => <State {...delivery} /> },
  { id: "attempts", label: texts.attempts, cell: ({ tries }) => formatNumber(tries) },
  { id: "duration", label: texts.duration, cell: ({ milliseconds }) => millisecondsText(milliseconds) },
  { id: "response", label: texts.response, cell: responseText },
];

interface DeliveryTableProps {
  readonly deliveries: readonly AdminDelivery[];
  readonly open: (delivery: AdminDelivery) => void;
  readonly repeat: (delivery: AdminDelivery) => Promise<void>;
}

/** Deliveries with buttons for their details and for sending them again. */
export const DeliveryTable = ({ deliveries, open, repeat }: DeliveryTableProps) => (
  <RecordTable
    label={texts.title}
    columns={COLUMNS}
    records={deliveries}
    idOf={({ event_id }) => event_id}
    actions={(delivery) => {
      const { kind, event_id } = delivery;
      return (
        <span className={own.rowButtons}>
          <Button isSmall aria-label={texts.detailsOf(kindText(kind), event_id)} onPress={() => open(delivery)}>
            {texts.details}
          </Button>
          {isRepeatable(delivery) && (
            <Button isSmall aria-label={texts.againOf(kindText(kind), event_id)} onPress={() => void repeat(delivery)}>
              {texts.again}
            </Button>
          )}
        </span>
      );
    }}
  />
);
