import type { AdminDelivery } from "@parley/contract";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { formatDateTime, formatNumber } from "../../i18n/format.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { uiMessages } from "../../ui/messages.ts";
import styles from "../administration.module.css";
import { LoadState } from "../load-state.tsx";
import { DELIVERY_VALUES } from "./contract-values.ts";
import own from "./deliveries.module.css";
import { deliveryQuery, type DeliveryEndpoint } from "./delivery-queries.ts";
import { millisecondsText, isRepeatable, kindText, responseText, DELIVERY_STATE_TONES } from "./delivery-values.ts";
import { ExchangeView } from "./exchange-view.tsx";
import { deliveryMessages as texts } from "./messages.ts";

const Facts = ({ delivery, time }: { readonly delivery: AdminDelivery; readonly time: string }) => {
  const { event_id, kind, state, tries, milliseconds, next_time } = delivery;
  const facts: readonly (readonly [string, ReactNode])[] = [
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
    ...(next_time === undefined ? [] : ([[texts.nextAttempt, formatDateTime(next_time)]] as const)),
  ];
  return (
    <dl className={own.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
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
            <Facts delivery={shown} time={exchange?.time ?? shown.changed_time} />
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
