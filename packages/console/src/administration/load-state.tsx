import type { UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { errorText } from "../ui/error-text.ts";
import { uiMessages } from "../ui/messages.ts";
import { Problem } from "../ui/problem.tsx";
import { Spinner } from "../ui/spinner.tsx";
import styles from "./administration.module.css";
import { administrationMessages as texts } from "./messages.ts";

/** Of TanStack Query. */
export interface LoadQuery<T> {
  readonly data: T | undefined;
  readonly error: unknown;
  readonly refetch: () => Promise<unknown>;
  /** Whether earlier data is shown because it could not be read again. */
  readonly isRefetchError?: boolean;
}

interface LoadStateProps<T> {
  readonly query: LoadQuery<T>;
  readonly children: (data: T) => ReactNode;
}

/** The data; a sign while it is read, or the reason why it can't be read. Earlier data that could not be read again is shown with a note. */
export const LoadState = <T,>({ query, children }: LoadStateProps<T>) => {
  const { data, error, refetch, isRefetchError = false } = query;
  if (data !== undefined)
    return (
      <>
        {isRefetchError && (
          <p role="status" className={styles.notice}>
            {texts.outdated(errorText(error))}{" "}
            <Button isSmall onPress={() => void refetch()}>
              {uiMessages.retry}
            </Button>
          </p>
        )}
        {children(data)}
      </>
    );
  if (!error) return <Spinner />;
  return (
    <EmptyState icon="warning" title={texts.failed} text={errorText(error)}>
      <Button onPress={() => void refetch()}>{uiMessages.retry}</Button>
    </EmptyState>
  );
};

interface MoreButtonProps {
  /** Of TanStack Query. */
  readonly query: Pick<
    UseInfiniteQueryResult,
    "error" | "fetchNextPage" | "hasNextPage" | "isFetching" | "isFetchNextPageError"
  >;
  readonly label: string;
}

/** Reads the next page of a list, if it has one. */
export const MoreButton = ({ query, label }: MoreButtonProps) => {
  const { error, fetchNextPage, hasNextPage, isFetching, isFetchNextPageError } = query;
  if (!hasNextPage) return null;
  return (
    <div className={styles.more}>
      <Problem text={isFetchNextPageError ? errorText(error) : undefined} />
      <Button isDisabled={isFetching} onPress={() => void fetchNextPage()}>
        {label}
      </Button>
    </div>
  );
};
