import type { AdminDelivery } from "@parley/contract";
import { useQuery } from "@tanstack/react-query";
import { formatDateTime, formatNumber } from "../../i18n/format.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { uiMessages } from "../../ui/messages.ts";
import styles from "../administration.module.css";
import { LoadState } from "../load-state.tsx";
import { Facts } from "../section.tsx";
import { DELIVERY_VALUES } from "./contract-values.ts";
import { deliveryQuery, type DeliveryEndpoint } from "./delivery-queries.ts";
import { millisecondsText, isRepeatable, kindText, responseText, DELIVERY_STATE_TONES } from "./delivery-values.ts";
import { ExchangeView } from "./exchange-view.tsx";
import { deliveryMessages as texts } from "./messages.ts";

const DeliveryFacts = ({ delivery, time }: { readonly delivery: AdminDelivery; readonly time: string }) => {
  const { event_id, kind, state, tries, milliseconds, next_time } = delivery;
  return (
    <Facts
      isList
      of={[
        [texts.event, kindText(kind)],
        [texts.eventId, <code key="id">{event_id}</code>],
        [texts.lastAttempt, formatDateTime(time)],
        [
          texts.state,
          <Badge key="state" tone={DELIVERY_STATE_TONES[state]}>
            {texts[state]}
          </Badge>,
        ],
        [texts.attempts, formatNumber(tries)],
        [texts.duration, millisecondsText(milliseconds)],
        [texts.response, responseText(delivery)],
        [texts.nextAttempt, next_time && formatDateTime(next_time)],
      ]}
    />
  );
};

interface DeliveryDialogProps {
  readonly endpoint: DeliveryEndpoint;
  readonly eventId: string;
  readonly repeat: (delivery: AdminDelivery) => Promise<void>;
  readonly onClose: () => void;
}

/** One delivery: its state, the last request and its response. */
export const DeliveryDialog = ({ endpoint, eventId, repeat, onClose }: DeliveryDialogProps) => {
  const query = useQuery(deliveryQuery(endpoint, eventId));
  const delivery = query.data?.delivery;
  return (
    <Dialog
      title={texts.deliveryTitle}
      isOpen
      isWide
      onClose={onClose}
      actions={
        <>
          <Button isDisabled={query.isFetching} onPress={() => void query.refetch()}>
            {texts.reload}
          </Button>
          {delivery && isRepeatable(delivery) && <Button onPress={() => void repeat(delivery)}>{texts.again}</Button>}
          <Button variant="primary" onPress={onClose}>
            {uiMessages.close}
          </Button>
        </>
      }
    >
      <LoadState query={query}>
        {({ delivery: shown, exchange }) => (
          <div className={styles.form}>
            <DeliveryFacts delivery={shown} time={exchange?.time ?? shown.changed_time} />
            {exchange ? (
              <ExchangeView {...exchange} />
            ) : (
              <p className={styles.muted}>{texts.notKept(DELIVERY_VALUES.exchangeLimits.deliveries)}</p>
            )}
          </div>
        )}
      </LoadState>
    </Dialog>
  );
};
