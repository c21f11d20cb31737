import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/empty-state.tsx";
import { uiMessages } from "../ui/messages.ts";
import { appMessages as texts } from "./messages.ts";

/** Shown in place of a page that failed. */
export const ErrorPage = ({ error, reset }: { readonly error: unknown; readonly reset?: () => void }) => (
  <EmptyState
    isPage
    icon="warning"
    title={texts.failedTitle}
    text={error instanceof Error && error.message !== "" ? error.message : texts.failedText}
  >
    <Button variant="primary" onPress={() => (reset ? reset() : location.reload())}>
      {uiMessages.retry}
    </Button>
  </EmptyState>
);
