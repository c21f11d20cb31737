import type { DirectoryCustomer } from "@parley/contract";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef, type KeyboardEvent } from "react";
import { formatDateTime, formatListTime } from "../i18n/format.ts";
import { useEffect } from "../state/effects.ts";
import { PersonAvatar } from "../ui/avatar.tsx";
import { Button } from "../ui/button.tsx";
import { uiMessages } from "../ui/messages.ts";
import { customerName } from "../workspace/workspace.ts";
import type { DirectoryReply } from "./customer-queries.ts";
import { customerMessages as texts } from "./messages.ts";
import styles from "./customers.module.css";
import { totalOf } from "./patch-directory.ts";

/** Rows beyond the visible rows from which on the next page is loaded. */
const AHEAD = 20;
/** First guess of a row's height; rows are measured. @units pixels */
const ROW_PX = 60;

const CustomerLine = ({ customer }: { readonly customer: DirectoryCustomer }) => {
  const { id, email, phone, avatar_url, conversations, activity_time, created_time } = customer;
  const name = customerName(customer);
  const time = activity_time ?? created_time;
  return (
    <Link to="/customers/$customerId" params={{ customerId: id }} className={styles.row}>
      <PersonAvatar name={name} url={avatar_url} of={{ user_id: id }} />
      <span className={styles.person}>
        <span className={styles.name}>{name}</span>
        <span className={styles.detail}>{email && email !== name ? email : ""}</span>
      </span>
      <span className={styles.phone}>{phone}</span>
      <span className={styles.count}>
        {conversations === 0 ? texts.noActivity : texts.conversationCount(conversations)}
      </span>
      <time
        className={styles.time}
        dateTime={time}
        title={`${activity_time === undefined ? texts.createdTime : texts.activity}: ${formatDateTime(time)}`}
      >
        {formatListTime(time, Date.now())}
      </time>
    </Link>
  );
};

/** Where lists were scrolled to when they were left: opened again, they show the same rows. Bounded, as searches are many. */
const offsets = new Map<string, number>();
const OFFSETS_MAX = 10;

const noteOffset = (key: string, offset: number): void => {
  offsets.delete(key);
  offsets.set(key, offset);
  const [oldest] = offsets.keys();
  if (offsets.size > OFFSETS_MAX && oldest !== undefined) offsets.delete(oldest);
};

interface DirectoryListProps {
  readonly list: UseInfiniteQueryResult<InfiniteData<DirectoryReply>>;
  /** Tells lists with other customers apart. */
  readonly scrollKey: string;
}

/** The customers that were loaded; further customers are loaded when the end comes close. */
export const DirectoryList = ({ list, scrollKey }: DirectoryListProps) => {
  const { data, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list;
  const customers = data?.pages.flatMap((page) => page.customers) ?? [];
  const total = totalOf(data) ?? customers.length;
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: customers.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: (index) => customers[index]?.id ?? index,
    initialOffset: () => offsets.get(scrollKey) ?? 0,
    overscan: 8,
  });
  const rows = virtualizer.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError && last + AHEAD >= customers.length)
      void fetchNextPage();
  }, [last, customers.length, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
  useEffect(() => {
    scroller.current?.scrollTo({ top: offsets.get(scrollKey) ?? 0 });
  }, [scrollKey]);

  const focusRow = (index: number): void => {
    virtualizer.scrollToIndex(index);
    // The row may have to be drawn first.
    requestAnimationFrame(() =>
      requestAnimationFrame(() =>
        scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"] a`)?.focus({ preventScroll: true }),
      ),
    );
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const row = (event.target as HTMLElement).closest<HTMLElement>("[data-index]");
    if (!row) return;
    const index = Number(row.dataset["index"]);
    const end = customers.length - 1;
    const targets: Partial<Record<string, number>> = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: end };
    const next = targets[event.key];
    if (next === undefined) return;
    event.preventDefault();
    focusRow(Math.min(Math.max(next, 0), end));
  };
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      onScroll={({ currentTarget }) => noteOffset(scrollKey, currentTarget.scrollTop)}
    >
      <ul
        aria-label={texts.title}
        className={styles.rows}
        style={{ height: virtualizer.getTotalSize() }}
        onKeyDown={onKeyDown}
      >
        {rows.map(({ key, index, start }) => {
          const customer = customers[index];
          return (
            customer && (
              <li
                key={key}
                data-index={index}
                ref={virtualizer.measureElement}
                aria-setsize={total}
                aria-posinset={index + 1}
                className={styles.item}
                style={{ transform: `translateY(${start}px)` }}
              >
                <CustomerLine customer={customer} />
              </li>
            )
          );
        })}
      </ul>
      {isFetchNextPageError && (
        <div role="alert" className={styles.failure}>
          {texts.moreFailed}
          <Button isSmall onPress={() => void fetchNextPage()}>
            {uiMessages.retry}
          </Button>
        </div>
      )}
    </div>
  );
};
