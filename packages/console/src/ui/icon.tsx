import type { ReactNode } from "react";
import styles from "./icon.module.css";

/** Shapes on a square of 24 units, drawn with lines of 2 units. */
const SHAPES = {
  inbox: <path d="M4 13l3-8h10l3 8v6H4zm0 0h5l1.5 3h3L15 13h5" />,
  people: <path d="M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 21a7 7 0 0 1 14 0m0-17a4 4 0 0 1 0 7m2 3a7 7 0 0 1 4 7" />,
  chat: <path d="M4 4h16v12h-9l-5 4v-4H4zm4 4.500h8m-8 3h5" />,
  search: <path d="M11 19a8 8 0 1 0 0-16 8 8 0 0 0 0 16zm5.5-2.5L21 21" />,
  settings: (
    <path d="M4 7h9m5 0h2M4 17h2m5 0h9M15.5 9.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zm-7 10a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5z" />
  ),
  play: <path d="M7 4l13 8-13 8z" />,
  app: <path d="M4 4h7v7H4zm9 0h7v7h-7zm-9 9h7v7H4zm9 0h7v7h-7z" />,
  template: <path d="M5 3h14v18H5zM8.500 8h7m-7 4h7m-7 4h4" />,
  check: <path d="M4 13l5 5L20 6" />,
  close: <path d="M5 5l14 14M19 5L5 19" />,
  back: <path d="M19 12H5m6-7l-7 7 7 7" />,
  down: <path d="M5 9l7 7 7-7" />,
  up: <path d="M5 15l7-7 7 7" />,
  right: <path d="M9 5l7 7-7 7" />,
  menu: <path d="M4 6h16M4 12h16M4 18h16" />,
  more: <path d="M5 12h.01M12 12h.01M19 12h.01" />,
  send: <path d="M4 12L20 4l-5 16-4-7zm7 1l9-9" />,
  attach: (
    <path d="M20 11l-8.500 8.500a5 5 0 0 1-7-7L13 4a3.500 3.500 0 0 1 5 5l-8.500 8.500a1.800 1.800 0 0 1-2.500-2.500L14.500 7.500" />
  ),
  emoji: <path d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM8.500 14.500a4.500 4.500 0 0 0 7 0M9 9.500h.01M15 9.500h.01" />,
  note: <path d="M6 10h12v10H6zm3 0V7a3 3 0 0 1 6 0v3" />,
  reply: <path d="M10 5l-6 6 6 6m-6-6h9a7 7 0 0 1 7 7v1" />,
  filter: <path d="M3 5h18l-7 8v6l-4 2v-8z" />,
  sort: <path d="M7 4v16m0 0l-3-3m3 3l3-3M14 6h7m-7 6h5m-5 6h3" />,
  plus: <path d="M12 5v14M5 12h14" />,
  edit: <path d="M4 20l1-5L16 4l4 4L9 19zm10-14l4 4" />,
  trash: <path d="M4 6h16M9 6V4h6v2m-9 0l1 15h10l1-15m-8 4v7m4-7v7" />,
  copy: <path d="M9 9h11v11H9zm-5 6V4h11" />,
  download: <path d="M12 4v11m0 0l-5-5m5 5l5-5M4 20h16" />,
  external: <path d="M14 4h6v6m0-6l-9 9M10 5H4v15h15v-6" />,
  link: <path d="M10 14a4 4 0 0 0 6 0l4-4a4 4 0 0 0-6-6l-1 1m1 5a4 4 0 0 0-6 0l-4 4a4 4 0 0 0 6 6l1-1" />,
  block: <path d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM5.600 5.600l12.800 12.800" />,
  bell: <path d="M6 16V11a6 6 0 0 1 12 0v5l2 2H4zm4 5h4" />,
  bellOff: <path d="M6 16V11a6 6 0 0 1 9-5.200M18 11v5l2 2H8m2 3h4M3 3l18 18" />,
  flag: <path d="M5 21V4h13l-3 4 3 4H5" />,
  clock: <path d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zm0-14v5l3 3" />,
  star: <path d="M12 3l2.800 5.900 6.200.8-4.500 4.400 1.100 6.400L12 17.500l-5.600 3 1.100-6.400L3 9.700l6.200-.8z" />,
  person: <path d="M12 12a4.500 4.500 0 1 0 0-9 4.500 4.500 0 0 0 0 9zm-9 9a9 9 0 0 1 18 0" />,
  file: <path d="M6 2h8l5 5v15H6zm8 0v5h5" />,
  image: <path d="M3 4h18v16H3zm0 13l5-5 4 4 4-5 5 6M9 9h.01" />,
  video: <path d="M3 6h12v12H3zm12 4l6-3v10l-6-3" />,
  warning: <path d="M12 3l10 18H2zm0 7v5m0 3h.01" />,
  key: <path d="M8 20a5 5 0 1 0 0-10 5 5 0 0 0 0 10zm3.500-8.500L20 3m-4 4l3 3" />,
  chart: <path d="M4 4v16h16M8 16v-4m5 4V7m5 9v-6" />,
  shield: <path d="M12 3l8 3v6c0 5-3.500 8-8 9-4.500-1-8-4-8-9V6z" />,
  keyboard: <path d="M2 6h20v12H2zm4 4h.01M10 10h.01M14 10h.01M18 10h.01M7 14h10" />,
  eye: <path d="M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zm10 3a3 3 0 1 0 0-6 3 3 0 0 0 0 6z" />,
  undo: <path d="M9 14L4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3" />,
  signOut: <path d="M14 4h5v16h-5M10 8l-5 4 5 4m-5-4h10" />,
  offline: (
    <path d="M3 3l18 18M5 12a11 11 0 0 1 4-2.500m6 0A11 11 0 0 1 19 12M8.500 15.500a6 6 0 0 1 7 0M12 19h.01M2 8.500a16 16 0 0 1 4-2.500m6-1.500a16 16 0 0 1 10 4" />
  ),
} as const satisfies Readonly<Record<string, ReactNode>>;

export type IconName = keyof typeof SHAPES;

interface IconProps {
  readonly name: IconName;
  /** Text for screen readers; without it the icon is decoration. */
  readonly label?: string;
}

/** An icon in the colour and size of the text around it. */
export const Icon = ({ name, label }: IconProps) => (
  <svg
    className={styles.icon}
    viewBox="0 0 24 24"
    {...(label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": label })}
  >
    {SHAPES[name]}
  </svg>
);
