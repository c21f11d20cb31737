import { useNavigate } from "@tanstack/react-router";
import { useCommands } from "../shortcuts/shortcuts.ts";
import { useEffect } from "../state/effects.ts";
import { useStore } from "../state/store.ts";
import { showToast } from "../ui/toast-store.ts";
import { onNoticeOpened } from "./desktop-notices.ts";
import { preferenceMessages as texts } from "./messages.ts";
import { notificationSetting } from "./settings.ts";
import { stopSound } from "./sound.ts";
import { isDarkTheme, themeSetting } from "./theme.ts";

const toggleSounds = (): void => {
  const choice = notificationSetting.get();
  const hasSound = !choice.hasSound;
  if (!hasSound) stopSound();
  notificationSetting.change({ ...choice, hasSound });
  showToast(hasSound ? texts.isUnmuted : texts.isMuted);
};

/** Choices that can be changed from every page, and the pages that notifications open. */
export const usePreferenceCommands = (): void => {
  const navigate = useNavigate();
  const { hasSound } = useStore(notificationSetting);
  const isDark = isDarkTheme(useStore(themeSetting));
  useCommands([
    { id: "sounds", label: hasSound ? texts.mute : texts.unmute, group: "general", run: toggleSounds },
    {
      id: "theme",
      label: isDark ? texts.useLight : texts.useDark,
      group: "general",
      run: () => themeSetting.change(isDark ? "light" : "dark"),
    },
  ]);
  useEffect(
    () =>
      onNoticeOpened((conversationId) => {
        if (conversationId === undefined) void navigate({ to: "/inbox" });
        else void navigate({ to: "/conversations/$conversationId", params: { conversationId } });
      }),
    [navigate],
  );
};
