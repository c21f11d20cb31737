import type { AdminDelivery, AdminSubscription } from "@parley/contract";
import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { EmptyState } from "../../ui/empty-state.tsx";
import { Select } from "../../ui/select.tsx";
import { showError, showToast } from "../../ui/toast-store.ts";
import { useWorkspace } from "../../workspace/workspace.ts";
import { adminCalls } from "../admin-client.ts";
import styles from "../administration.module.css";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { LoadState, MoreButton } from "../load-state.tsx";
import { BackLink, PageHeader } from "../page-header.tsx";
import { DELIVERY_VALUES } from "./contract-values.ts";
import { DeliveryDialog } from "./delivery-dialog.tsx";
import {
  deliveriesQuery,
  endpointKey,
  endpointQuery,
  type DeliveryFilter,
  type DeliveryEndpoint,
} from "./delivery-queries.ts";
import { DeliveryTable } from "./delivery-table.tsx";
import { WEBHOOK_EVENT_KINDS } from "./delivery-values.ts";
import { deliveryMessages as texts } from "./messages.ts";

const route = getRouteApi("/admin/webhooks/$webhookId");
const STATES = [
  { id: undefined, label: texts.anyState },
  ...DELIVERY_VALUES.states.map((id) => ({ id, label: texts[id] })),
];
const KINDS = [
  { id: undefined, label: texts.anyEvent },
  ...WEBHOOK_EVENT_KINDS.map((id) => ({ id, label: texts[id] })),
];

const Filters = ({
  filter,
  onChange,
}: {
  readonly filter: DeliveryFilter;
  readonly onChange: (filter: DeliveryFilter) => void;
}) => (
  <div className={styles.tools}>
    <Select
      label={texts.state}
      choices={STATES}
      value={filter.state}
      onChange={(state) => onChange({ ...filter, state })}
    />
    <Select
      label={texts.event}
      choices={KINDS}
      value={filter.kind}
      onChange={(kind) => onChange({ ...filter, kind })}
    />
  </div>
);

interface ListProps {
  readonly endpoint: DeliveryEndpoint;
  readonly repeat: (delivery: AdminDelivery) => Promise<void>;
}

const DeliveryList = ({ endpoint, repeat }: ListProps) => {
  const [filter, setFilter] = useState<DeliveryFilter>({});
  const [opened, setOpened] = useState<string>();
  const query = useInfiniteQuery(deliveriesQuery(endpoint, filter));
  const isFiltered = filter.state !== undefined || filter.kind !== undefined;
  return (
    <>
      <Filters filter={filter} onChange={setFilter} />
      <LoadState query={query}>
        {({ pages }) => {
          const deliveries = pages.flatMap((page) => page.deliveries);
          if (deliveries.length > 0)
            return <DeliveryTable deliveries={deliveries} open={(each) => setOpened(each.event_id)} repeat={repeat} />;
          return isFiltered ? (
            <EmptyState icon="filter" title={texts.noMatch}>
              <Button onPress={() => setFilter({})}>{texts.clear}</Button>
            </EmptyState>
          ) : (
            <EmptyState icon="external" title={texts.none} text={texts.noneText} />
          );
        }}
      </LoadState>
      <MoreButton query={query} label={texts.more} />
      {opened !== undefined && (
        <DeliveryDialog endpoint={endpoint} eventId={opened} repeat={repeat} onClose={() => setOpened(undefined)} />
      )}
    </>
  );
};

/** Events that can be delivered again at once. */
const failedOf = ({ dead, aside }: AdminSubscription): number => dead + aside;

const Deliveries = ({
  endpoint,
  webhook,
}: {
  readonly endpoint: DeliveryEndpoint;
  readonly webhook: AdminSubscription;
}) => {
  const queries = useQueryClient();
  const [isConfirming, setConfirming] = useState(false);
  const failed = failedOf(webhook);
  const reload = () => queries.invalidateQueries({ queryKey: endpointKey(endpoint) });
  const replay = async (body: { readonly event_id: string } | { readonly failed: true }): Promise<number> => {
    const params = { account: endpoint.account, subscription_id: endpoint.id };
    const { replayed } = await adminCalls.replayDeliveries({ params, body });
    await reload();
    return replayed;
  };
  const repeat = async ({ event_id }: AdminDelivery): Promise<void> => {
    try {
      showToast((await replay({ event_id })) > 0 ? texts.againToast : texts.waitsToast);
    } catch (error) {
      showError(error);
    }
  };
  return (
    <>
      <PageHeader isOverview title={texts.title} intro={texts.intro(webhook.url)}>
        <div className={styles.buttons}>
          {failed > 0 && <Button onPress={() => setConfirming(true)}>{texts.failedAgain(failed)}</Button>}
          <Button onPress={() => void reload()}>{texts.reload}</Button>
        </div>
      </PageHeader>
      {webhook.state === "off" && <p className={styles.notice}>{texts.isOff}</p>}
      <DeliveryList endpoint={endpoint} repeat={repeat} />
      {isConfirming && (
        <ConfirmDialog
          title={texts.failedTitle(failed)}
          text={texts.failedText}
          action={texts.again}
          run={async () => void showToast(texts.failedToast(await replay({ failed: true })))}
          onClose={() => setConfirming(false)}
        />
      )}
    </>
  );
};

/** The deliveries to a webhook, with their responses. */
export const DeliveriesPage = () => {
  const { webhookId: id } = route.useParams();
  const endpoint = { account: useWorkspace().account.name, id };
  const query = useQuery(endpointQuery(endpoint));
  return (
    <div className={styles.page}>
      <BackLink to="/admin/webhooks" label={texts.webhooks} />
      <LoadState query={query}>
        {(webhook) =>
          webhook ? (
            <Deliveries key={id} endpoint={endpoint} webhook={webhook} />
          ) : (
            <EmptyState icon="warning" title={texts.unknown} isPage text={texts.unknownText} />
          )
        }
      </LoadState>
    </div>
  );
};
