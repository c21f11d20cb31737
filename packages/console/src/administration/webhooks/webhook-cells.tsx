import { Link } from "@tanstack/react-router";
import { formatDateTime } from "../../i18n/format.ts";
import { Badge } from "../../ui/badge.tsx";
import styles from "../administration.module.css";
import type { Column } from "../record-table.tsx";
import { WEBHOOK_VALUES } from "./contract-values.ts";
import { webhookMessages as texts } from "./messages.ts";
import { successTone } from "./webhook-values.ts";
import type { ListedWebhook } from "./webhook-queries.ts";
import own from "./webhooks.module.css";

const Address = ({ id, url }: ListedWebhook) => (
  <Link to="/admin/webhooks/$webhookId" params={{ webhookId: id }} className={own.address}>
    {url}
  </Link>
);

const Events = ({ actions }: ListedWebhook) =>
  WEBHOOK_VALUES.actions
    .filter((action) => actions.includes(action))
    .map((action) => texts[action])
    .join(", ");

const State = ({ state, off_time = "", off_reason = "", overlap_until }: ListedWebhook) => (
  <>
    <Badge tone={state === "on" ? "success" : "neutral"}>{texts[state]}</Badge>
    {state === "off" && <span className={styles.detail}>{texts.offSince(formatDateTime(off_time), off_reason)}</span>}
    {overlap_until !== undefined && (
      <span className={styles.detail}>{texts.bothSecrets(formatDateTime(overlap_until))}</span>
    )}
  </>
);

const Success = ({ progress }: ListedWebhook) => {
  if (!progress) return texts.noDeliveries;
  const { recent, to_come, waiting, aside, dead } = progress;
  const { attempted, delivered } = recent;
  const retried = waiting + aside;
  return (
    <span className={own.badges}>
      {attempted === 0 ? (
        texts.noDeliveries
      ) : (
        <Badge tone={successTone(attempted, delivered)}>{texts.delivered(delivered, attempted)}</Badge>
      )}
      {to_come > 0 && <Badge>{texts.toCome(to_come)}</Badge>}
      {retried > 0 && <Badge tone="warning">{texts.retried(retried)}</Badge>}
      {dead > 0 && <Badge tone="danger">{texts.dead(dead)}</Badge>}
    </span>
  );
};

/** The columns of the table of webhooks, without actions. */
export const WEBHOOK_COLUMNS: readonly Column<ListedWebhook>[] = [
  { id: "url", label: texts.url, cell: (webhook) => <Address {...webhook} /> },
  { id: "events", label: texts.events, cell: (webhook) => <Events {...webhook} /> },
  { id: "state", label: texts.state, cell: (webhook) => <State {...webhook} /> },
  { id: "success", label: texts.success, cell: (webhook) => <Success {...webhook} /> },
];
