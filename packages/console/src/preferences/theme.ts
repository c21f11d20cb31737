import { createStore } from "../state/store.ts";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const THEME_KEY = "parley-theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

const storedTheme = (): Theme => {
  const text = localStorage.getItem(THEME_KEY);
  return THEMES.find((theme) => theme === text) ?? "system";
};

export const theme = createStore<Theme>(storedTheme());

const show = (): void => {
  const chosen = theme.get();
  document.documentElement.dataset["theme"] = chosen === "system" ? (dark.matches ? "dark" : "light") : chosen;
};

/** Shows the chosen colours, and follows the system's choice. */
export const applyTheme = (): void => {
  show();
  dark.addEventListener("change", show);
  theme.subscribe(show);
};

export const changeTheme = (next: Theme): void => {
  localStorage.setItem(THEME_KEY, next);
  theme.set(next);
};
