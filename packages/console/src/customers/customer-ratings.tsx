import type { Csat } from "@parley/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { formatDateTime, formatListTime } from "../i18n/format.ts";
import { classes } from "../ui/classes.ts";
import { Icon } from "../ui/icon.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { customerRatingsQuery } from "./customer-queries.ts";
import styles from "./customer.module.css";
import { LoadFailure } from "./load-failure.tsx";
import { customerMessages as texts } from "./messages.ts";

const STARS = [1, 2, 3, 4, 5] as const;

const Stars = ({ rating }: { readonly rating: number }) => (
  <span className={styles.stars}>
    <span role="img" aria-label={texts.stars(rating)}>
      {STARS.map((star) => (
        <span key={star} className={classes(styles.star, star <= rating && styles.filled)}>
          <Icon name="star" />
        </span>
      ))}
    </span>
    <span aria-hidden>{rating}/5</span>
  </span>
);

const RatingLine = ({
  rating: { rating, issue_resolved, additional_feedback, conversation_id, created },
}: {
  readonly rating: Csat;
}) => {
  const time = new Date(created).toISOString();
  return (
    <li>
      <Link to="/conversations/$conversationId" params={{ conversationId: conversation_id }} className={styles.entry}>
        <span className={styles.entryHead}>
          {rating !== undefined && <Stars rating={rating} />}
          <time className={styles.time} dateTime={time} title={formatDateTime(time)}>
            {formatListTime(time, Date.now())}
          </time>
        </span>
        {additional_feedback && <span className={styles.feedback}>{additional_feedback}</span>}
        <span className={styles.entryDetail}>{issue_resolved ? texts.resolvedIssue : texts.unresolvedIssue}</span>
      </Link>
    </li>
  );
};

/** How a customer rated conversations, the newest first. */
export const CustomerRatings = ({ customerId }: { readonly customerId: string }) => {
  const { data, error, isPending, refetch } = useQuery(customerRatingsQuery(customerId));
  if (isPending) return <Spinner />;
  if (!data) return <LoadFailure error={error} onRetry={() => void refetch()} />;
  if (data.length === 0) return <p className={styles.none}>{texts.noRatings}</p>;
  return (
    <ul className={styles.entries}>
      {data.map((rating) => (
        <RatingLine key={rating.csat_response_id} rating={rating} />
      ))}
    </ul>
  );
};
