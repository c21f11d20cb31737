import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { errorText } from "../ui/error-text.ts";
import { uiMessages } from "../ui/messages.ts";
import { Spinner } from "../ui/spinner.tsx";
import { administrationMessages as texts } from "./messages.ts";

interface LoadStateProps<T> {
  /** Of TanStack Query. */
  readonly query: {
    readonly data: T | undefined;
    readonly error: unknown;
    readonly refetch: () => Promise<unknown>;
  };
  readonly children: (data: T) => ReactNode;
}

/** What was read; until then that it is read, or why it can't be. */
export const LoadState = <T,>({ query: { data, error, refetch }, children }: LoadStateProps<T>) => {
  if (data !== undefined) return children(data);
  if (!error) return <Spinner />;
  return (
    <EmptyState icon="warning" title={texts.failed}>
      <p>{errorText(error)}</p>
      <Button onPress={() => void refetch()}>{uiMessages.retry}</Button>
    </EmptyState>
  );
};
