import styles from "./line-chart.module.css";

/** Makes a line recognizable without its colour: dashes, and the shape of its points. Colours are in the style sheet. */
const DASHES = ["", "7 4", "2 4", "12 4 2 4", "4 2", "1 3"] as const;
/** Around the origin. @units pixels */
const SHAPES = [
  "M-3.500,0a3.500,3.500 0 1 0 7,0a3.500,3.500 0 1 0 -7,0Z",
  "M-3.200,-3.200h6.400v6.400h-6.400Z",
  "M0,-4.200L4,3.200H-4Z",
  "M0,-4.500L4.500,0L0,4.500L-4.500,0Z",
  "M0,4.200L4,-3.200H-4Z",
  "M-1.500,-4.500h3v3h3v3h-3v3h-3v-3h-3v-3h3Z",
] as const;

/** -> attributes of the line of a series. @shape place: from 0, among those that are drawn */
export const lineStyle = (place: number) => ({
  style: { stroke: `var(--series-${place})` },
  strokeDasharray: DASHES[place],
});

export const Point = ({ place, x, y }: { readonly place: number; readonly x: number; readonly y: number }) => (
  <path d={SHAPES[place]} transform={`translate(${x},${y})`} style={{ fill: `var(--series-${place})` }} />
);

/** How a series looks in the chart, beside its name. */
export const SeriesSample = ({ place }: { readonly place: number }) => (
  <svg className={styles.sample} viewBox="0 0 32 12" aria-hidden>
    <line x1={0} x2={32} y1={6} y2={6} {...lineStyle(place)} />
    <Point place={place} x={16} y={6} />
  </svg>
);
