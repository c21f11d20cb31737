import type { QueryClient } from "@tanstack/react-query";
import { startDrafts } from "../composer/open-drafts.ts";
import { startUnsent } from "../thread/send-message.ts";
import { threadMessages as texts } from "../thread/messages.ts";
import { showToast } from "../ui/toast-store.ts";
import { removeOldUnsaved } from "../unsaved/unsaved-store.ts";
import { router } from "./router.tsx";

/** Goes on with what the agent typed in an earlier page and the service does not have. Forms take theirs when they are opened. */
export const restoreUnsaved = (queries: QueryClient): void => {
  removeOldUnsaved(Date.now());
  startDrafts(queries);
  for (const conversationId of startUnsent())
    showToast(texts.unsent, {
      tone: "error",
      action: {
        label: texts.showUnsent,
        run: () => void router.navigate({ to: "/conversations/$conversationId", params: { conversationId } }),
      },
    });
};
