import { createSetting } from "../state/setting.ts";

export const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

const dark = matchMedia("(prefers-color-scheme: dark)");

export const themeSetting = createSetting<Theme>({
  key: "parley-theme",
  parse: (text) => THEMES.find((theme) => theme === text) ?? "system",
  format: (theme) => theme,
});

/** Whether a theme has dark colours on this device at present. */
export const isDarkTheme = (theme: Theme): boolean => (theme === "system" ? dark.matches : theme === "dark");

const show = (): void => {
  document.documentElement.dataset["theme"] = isDarkTheme(themeSetting.get()) ? "dark" : "light";
};

/** Shows the chosen colours, and follows the system's choice. */
export const applyTheme = (): void => {
  show();
  dark.addEventListener("change", show);
  themeSetting.subscribe(show);
};
