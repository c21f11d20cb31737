/**
 * The colours of all pages, in the light and the dark scheme. The build makes style sheets of custom properties from them, which pages import as
 * `@parley/contract/colors.css` and `@parley/contract/themed-colors.css`. Text colours have a contrast of at least 4.5 to their backgrounds, lines of
 * fields (`line-strong`) of at least 3.
 */

type SchemeColors = readonly [light: string, dark: string];

/** The messenger's own colour, for accounts that have chosen no colour. @shape light and dark scheme alike */
export const BRAND_COLOR = "#1f4fd8";
export const ON_BRAND_COLOR = "#ffffff";

/** Colours by the name of their custom property, without `--`. */
export const PAGE_COLORS = {
  page: ["#f4f5f7", "#0f1420"],
  surface: ["#ffffff", "#171d2b"],
  "surface-hover": ["#eef1f6", "#232c40"],
  "surface-inset": ["#f0f2f6", "#111725"],
  bubble: ["#eceff5", "#283147"],
  line: ["#d9dee7", "#303a50"],
  "line-strong": ["#7f899b", "#7b879e"],
  text: ["#1a2233", "#e8ecf5"],
  "text-muted": ["#566074", "#a9b3c7"],
  accent: [BRAND_COLOR, "#6d95ff"],
  "accent-text": ["#1b46c0", "#9db9ff"],
  "on-accent": [ON_BRAND_COLOR, "#0b1530"],
  danger: ["#b3261e", "#ff9c93"],
  "danger-surface": ["#fdecea", "#43201f"],
  success: ["#146c3a", "#7fd6a0"],
  "success-surface": ["#e4f5ea", "#16351f"],
  warning: ["#7a4d00", "#f2c46b"],
  "warning-surface": ["#fff3d6", "#3b2d10"],
  focus: [BRAND_COLOR, "#9db9ff"],
  "brand-color": [BRAND_COLOR, BRAND_COLOR],
  "on-brand-color": [ON_BRAND_COLOR, ON_BRAND_COLOR],
} as const satisfies Readonly<Record<string, SchemeColors>>;

/** Colours of the console alone. */
const CONSOLE_COLORS: Readonly<Record<string, SchemeColors>> = {
  "surface-raised": ["#ffffff", "#1f2738"],
  "surface-selected": ["#e3ebfd", "#24365f"],
  rail: ["#16213a", "#0a0f1b"],
  "rail-text": ["#d3dcf0", "#c3cde3"],
  "rail-selected": ["#2c3d66", "#26344f"],
  "accent-hover": ["#173fb0", "#8aabff"],
  "note-surface": ["#fff4cf", "#3a3113"],
  "note-line": ["#c9a227", "#b3922e"],
  "note-text": ["#5a4300", "#f6e3a5"],
  "bubble-agent": ["#dfe9ff", "#243a6e"],
};

const properties = (colors: Readonly<Record<string, SchemeColors>>, scheme: 0 | 1): string =>
  Object.entries(colors)
    .map(([name, values]) => `--${name}: ${values[scheme]};`)
    .join("\n");

/** The colours of pages that follow the system's scheme. */
export const COLORS_CSS = `:root {
color-scheme: light dark;
${properties(PAGE_COLORS, 0)}
}
@media (prefers-color-scheme: dark) {
:root {
${properties(PAGE_COLORS, 1)}
}
}
`;

const ALL_COLORS = { ...PAGE_COLORS, ...CONSOLE_COLORS };

/** The colours of the console, whose script names the scheme at the root element: agents can choose it. */
export const THEMED_COLORS_CSS = `:root {
color-scheme: light;
${properties(ALL_COLORS, 0)}
}
:root[data-theme="dark"] {
color-scheme: dark;
${properties(ALL_COLORS, 1)}
}
`;
