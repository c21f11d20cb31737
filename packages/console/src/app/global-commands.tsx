import { useNavigate } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { usePreferenceCommands } from "../preferences/use-preference-commands.ts";
import { useCommands } from "../shortcuts/shortcuts.ts";
import { useStore } from "../state/store.ts";
import { isTestCustomerOpen, openTestCustomer } from "../test-customer/test-customer-state.ts";
import { uiMessages } from "../ui/messages.ts";
import { runToastAction, showToast } from "../ui/toast-store.ts";
import { appMessages as texts } from "./messages.ts";

const Palette = lazy(() => import("../shortcuts/palette.tsx"));
const ShortcutList = lazy(() => import("../shortcuts/shortcut-list.tsx"));
const TestCustomerPanel = lazy(() => import("../test-customer/test-customer-panel.tsx"));

/** Commands of every page, and the dialogs that they open. */
export const GlobalCommands = () => {
  const navigate = useNavigate();
  const [open, setOpen] = useState<"palette" | "shortcuts">();
  const isTrying = useStore(isTestCustomerOpen);
  usePreferenceCommands();
  useCommands([
    {
      id: "palette",
      label: texts.palette,
      group: "general",
      keys: "Ctrl+k",
      worksInFields: true,
      run: () => setOpen("palette"),
    },
    { id: "shortcuts", label: texts.shortcuts, group: "general", keys: "?", run: () => setOpen("shortcuts") },
    { id: "go-inbox", label: texts.inbox, group: "general", keys: "g i", run: () => void navigate({ to: "/inbox" }) },
    {
      id: "go-customers",
      label: texts.customers,
      group: "general",
      keys: "g c",
      run: () => void navigate({ to: "/customers" }),
    },
    {
      id: "go-search",
      label: texts.search,
      group: "general",
      keys: "g s",
      run: () => void navigate({ to: "/search" }),
    },
    {
      id: "go-templates",
      label: texts.templates,
      group: "general",
      keys: "g t",
      run: () => void navigate({ to: "/templates" }),
    },
    {
      id: "go-preferences",
      label: texts.preferences,
      group: "general",
      keys: "g p",
      run: () => void navigate({ to: "/preferences" }),
    },
    {
      id: "undo",
      label: uiMessages.undo,
      group: "general",
      keys: "z",
      run: () => void (runToastAction(uiMessages.undo) || showToast(uiMessages.nothingToUndo)),
    },
    { id: "test-customer", label: texts.testCustomer, group: "general", run: openTestCustomer },
  ]);
  const close = () => setOpen(undefined);
  return (
    <Suspense>
      {open === "palette" && <Palette onClose={close} />}
      {open === "shortcuts" && <ShortcutList onClose={close} />}
      {isTrying && <TestCustomerPanel />}
    </Suspense>
  );
};
