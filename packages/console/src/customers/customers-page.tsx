import type { CustomerOrder } from "@parley/contract";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense, useRef, useState } from "react";
import { VALUES } from "../contract-values.ts";
import { formatNumber } from "../i18n/format.ts";
import { useCommands } from "../shortcuts/shortcuts.ts";
import { useTypedText } from "../state/use-typed-text.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { errorText } from "../ui/error-text.ts";
import { uiMessages } from "../ui/messages.ts";
import { SearchField } from "../ui/search-field.tsx";
import { Select } from "../ui/select.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { usePageTitle } from "../ui/page-title.ts";
import { directoryQuery } from "./customer-queries.ts";
import { DirectoryList } from "./directory-list.tsx";
import { checkDirectoryAddress, DIRECTORY_TEXT_MAX } from "./directory-search.ts";
import { customerMessages as texts } from "./messages.ts";
import styles from "./customers.module.css";
import { totalOf } from "./patch-directory.ts";

const CreateDialog = lazy(() => import("./create-dialog.tsx"));

const route = getRouteApi("/customers");
const ORDERS = VALUES.customerOrders.map((id) => ({ id, label: texts[id] }));

/** The directory of customers. */
export const CustomersPage = () => {
  usePageTitle([texts.title]);
  // The router itself keeps parameters that the route's check leaves out.
  const { q = "", order = "newest" } = route.useSearch({ select: checkDirectoryAddress });
  const navigate = route.useNavigate();
  const [isCreating, setCreating] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useTypedText(q, (text) => {
    void navigate({
      search: ({ q: _before, ...others }) => (text === "" ? others : { ...others, q: text }),
      replace: true,
    });
  });
  const list = useInfiniteQuery(directoryQuery({ text: q, order }));
  const { data, error, isPending, refetch } = list;
  const total = totalOf(data);
  useCommands([
    { id: "find-customer", label: texts.find, group: "list", keys: "f", run: () => field.current?.focus() },
    { id: "create-customer", label: texts.create, group: "general", run: () => setCreating(true) },
  ]);
  const changeOrder = (next: CustomerOrder): void =>
    void navigate({ search: (before) => ({ ...before, order: next }), replace: true });

  const content = () => {
    if (isPending) return <Spinner />;
    if (!data)
      return (
        <EmptyState icon="warning" title={texts.loadFailed} text={errorText(error)}>
          <Button onPress={() => void refetch()}>{uiMessages.retry}</Button>
        </EmptyState>
      );
    if (total === 0 && q !== "")
      return (
        <EmptyState icon="search" title={texts.noMatch} text={texts.noMatchText}>
          <Button onPress={() => setTyped("")}>{texts.clear}</Button>
        </EmptyState>
      );
    if (total === 0) return <EmptyState icon="people" title={texts.none} text={texts.noneText} />;
    return <DirectoryList list={list} scrollKey={`${q} ${order}`} />;
  };
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <h1 className={styles.title}>{texts.title}</h1>
        <p role="status" className={styles.total}>
          {total !== undefined && texts.total(formatNumber(total), total)}
        </p>
        <Button variant="primary" icon="plus" onPress={() => setCreating(true)}>
          {texts.create}
        </Button>
      </header>
      <div className={styles.filters} role="search" aria-label={texts.title}>
        <SearchField
          label={texts.find}
          placeholder={texts.findHelp}
          value={typed}
          onChange={(text) => setTyped(text.slice(0, DIRECTORY_TEXT_MAX))}
          inputRef={field}
        />
        <Select label={texts.order} isLabelHidden choices={ORDERS} value={order} onChange={changeOrder} />
      </div>
      {content()}
      {isCreating && (
        <Suspense>
          <CreateDialog onClose={() => setCreating(false)} />
        </Suspense>
      )}
    </div>
  );
};
