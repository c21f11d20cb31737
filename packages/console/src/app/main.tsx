import "@parley/contract/themed-colors.css";
import "../ui/tokens.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queryClient } from "./query-client.ts";
import { prefetchInbox } from "./prefetch-inbox.ts";
import { restoreUnsaved } from "./restore-unsaved.ts";
import { router } from "./router.tsx";
import { followLive } from "./follow-live.ts";
import { currentLanguage } from "../i18n/language.ts";
import { applyDensity } from "../preferences/settings.ts";
import { applyTheme } from "../preferences/theme.ts";
import { followOtherTabs, hasSession, leaveForSignIn, whenPageAgentIsKnown } from "../session/session.ts";
import { workspaceQuery } from "../workspace/workspace.ts";

const show = async (root: Element): Promise<void> => {
  document.documentElement.lang = currentLanguage();
  applyTheme();
  applyDensity();
  followOtherTabs();
  whenPageAgentIsKnown(() => restoreUnsaved(queryClient));
  followLive(queryClient);
  prefetchInbox(queryClient);
  // Nothing can be shown without it. A rendering that suspends would be shown 300 ms later: React keeps fallbacks that long.
  await queryClient.prefetchQuery(workspaceQuery);
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
};

const root = document.querySelector("#root");
if (!hasSession()) leaveForSignIn();
else if (root) void show(root);
