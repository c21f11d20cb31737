import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useRef, type KeyboardEvent } from "react";
import { useCommands } from "../shortcuts/shortcuts.ts";
import { useTypedText } from "../state/use-typed-text.ts";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { errorText } from "../ui/error-text.ts";
import { Icon } from "../ui/icon.tsx";
import { uiMessages } from "../ui/messages.ts";
import { usePageTitle } from "../ui/page-title.ts";
import { SearchField } from "../ui/search-field.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { useWorkspace } from "../workspace/workspace.ts";
import { searchMessages as texts } from "./messages.ts";
import { recentSearches, withRecentSearch } from "./recent-searches.ts";
import { useResultsPosition } from "./results-position.ts";
import { resultCountOf, Results, type SearchSections } from "./results.tsx";
import { checkSearchAddress, RESULT_KINDS, SEARCH_TEXT_MAX, type SearchAddress } from "./search-address.ts";
import { SearchFilters } from "./search-filters.tsx";
import { OVERVIEW_SIZE, searchQuery } from "./search-query.ts";
import { SearchStart } from "./search-start.tsx";
import styles from "./search.module.css";

const route = getRouteApi("/search");

const useSearchResults = (address: SearchAddress) => {
  const { data, ...query } = useInfiniteQuery({ ...searchQuery(address), placeholderData: keepPreviousData });
  const pages = data?.pages ?? [];
  const found: SearchSections = {
    messages: pages.flatMap(({ messages = [] }) => messages),
    users: pages.flatMap(({ users = [] }) => users),
    conversations: pages.flatMap(({ conversations = [] }) => conversations),
  };
  return {
    ...query,
    found,
    count: resultCountOf(found),
    isPartial: pages.some(({ partial = [] }) => partial.length > 0),
  };
};

/** Arrow keys move between the field and the results. */
const moveFocus = (page: HTMLElement, event: KeyboardEvent): void => {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const stops = [...page.querySelectorAll<HTMLElement>("input[type=search], [data-result]")];
  const index = stops.findIndex((stop) => stop === document.activeElement);
  const next = stops[index + (event.key === "ArrowDown" ? 1 : -1)];
  if (index === -1 || !next) return;
  event.preventDefault();
  next.focus();
};

/** Search over messages, customers and conversations. */
export const SearchPage = () => {
  // The router itself keeps parameters that the route's check leaves out.
  const address = route.useSearch({ select: checkSearchAddress });
  const { q = "", ...filter } = address;
  usePageTitle(q === "" ? [texts.title] : [q, texts.title]);
  const navigate = route.useNavigate();
  const { agent } = useWorkspace();
  const page = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const change = (next: SearchAddress): void => void navigate({ search: next, replace: true });
  const [typed, setTyped] = useTypedText(q, (text) => change(text === "" ? filter : { ...filter, q: text }));
  const { found, count, isPartial, error, ...query } = useSearchResults(address);
  const { isPending, isPlaceholderData, hasNextPage, isFetchingNextPage, isFetchNextPageError } = query;
  useCommands([{ id: "find", label: texts.label, group: "list", keys: "f", run: () => field.current?.focus() }]);
  const notePosition = useResultsPosition(page, JSON.stringify(address));
  const recent = recentSearches(agent.agent_id);
  const note = (): void => recent.change(withRecentSearch(recent.get(), typed));
  /** Enter repeats a search: there may be new messages. A text that has just been typed is searched for anyway. */
  const submit = (): void => {
    note();
    if (typed.trim() === q && q !== "") void query.refetch();
  };

  const statusText = (): string => {
    if (q === "" || (error && count === 0)) return "";
    if (isPending || isPlaceholderData) return texts.searching;
    const hasMore =
      hasNextPage || (filter.kind === undefined && RESULT_KINDS.some((kind) => found[kind].length >= OVERVIEW_SIZE));
    return hasMore ? texts.moreThan(count) : texts.results(count);
  };
  const content = () => {
    if (q === "") return <SearchStart agentId={agent.agent_id} onChoose={setTyped} />;
    if (isPending) return <Spinner />;
    if (error && !isFetchNextPageError)
      return (
        <EmptyState icon="warning" title={texts.failedTitle}>
          <p role="alert">{errorText(error)}</p>
          <Button onPress={() => void query.refetch()}>{uiMessages.retry}</Button>
        </EmptyState>
      );
    if (count === 0 && !hasNextPage)
      return (
        <EmptyState icon="search" title={texts.noneTitle}>
          <p>{texts.noneText}</p>
          {Object.keys(filter).length > 0 && <Button onPress={() => change({ q })}>{texts.allTimes}</Button>}
        </EmptyState>
      );
    return (
      <Results
        found={found}
        sectionSize={filter.kind === undefined ? OVERVIEW_SIZE : undefined}
        onKind={(kind) => void navigate({ search: { ...address, kind } })}
        onOpen={() => {
          note();
          notePosition();
        }}
      />
    );
  };
  return (
    <div ref={page} className={styles.page} onKeyDown={(event) => page.current && moveFocus(page.current, event)}>
      <h1 className={styles.title}>{texts.title}</h1>
      <div role="search" aria-label={texts.label}>
        <SearchField
          label={texts.label}
          placeholder={texts.placeholder}
          value={typed}
          onChange={(text) => setTyped(text.slice(0, SEARCH_TEXT_MAX))}
          onSubmit={submit}
          inputRef={field}
          autoFocus
        />
        <SearchFilters filter={filter} onChange={(next) => change({ ...(q !== "" && { q }), ...next })} />
      </div>
      <p role="status" className={styles.status}>
        {statusText()}
      </p>
      {isPartial && q !== "" && (
        <p className={styles.partial}>
          <Icon name="warning" />
          {texts.partial}
        </p>
      )}
      {content()}
      {isFetchNextPageError && <p role="alert">{errorText(error)}</p>}
      {hasNextPage && q !== "" && (
        <Button isDisabled={isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
          {isFetchNextPageError ? uiMessages.retry : texts.more}
        </Button>
      )}
    </div>
  );
};
