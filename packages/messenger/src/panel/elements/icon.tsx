/** @jsxImportSource preact */

/** Paths on a square of 24 units, drawn with lines of 2 units. */
const PATHS = {
  back: "M19 12H5m6-7l-7 7 7 7",
  forward: "M5 12h14m-6-7l7 7-7 7",
  close: "M5 5l14 14M19 5L5 19",
  send: "M12 20V5m-6 6l6-6 6 6",
  attach:
    "M20 11l-8.5 8.500a5 5 0 0 1-7-7L13 4a3.500 3.500 0 0 1 5 5l-8.500 8.500a1.800 1.800 0 0 1-2.500-2.500L14.500 7.500",
  emoji: "M12 3a9 9 0 1 0 .01 0M8.500 10h.01m6.990 0h.01M8 14.500a5 5 0 0 0 8 0",
  down: "M12 5v14m-6-6l6 6 6-6",
  right: "M9 5l7 7-7 7",
  chat: "M4 4h16v12H10l-5 4v-4H4z",
  file: "M6 2h8l5 5v15H6zm8 0v5h5",
  download: "M12 4v11m0 0l-5-5m5 5l5-5M4 20h16",
  external: "M14 4h6v6m0-6l-9 9M10 5H4v15h15v-6",
  warning: "M12 3l10 18H2zm0 7v5m0 3h.01",
  star: "M12 3l2.800 5.900 6.200.8-4.500 4.400 1.100 6.400L12 17.500l-5.600 3 1.100-6.400L3 9.700l6.200-.8z",
} as const;

export type IconName = keyof typeof PATHS;

/** A decorative icon in the colour and size of the text around it. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" data-icon={name}>
    <path d={PATHS[name]} />
  </svg>
);
