import type { MetricInterval } from "@parley/contract";
import type { Figure, FigureUnit } from "./figures.ts";
import { intervalName } from "./intervals.ts";
import { reportMessages as texts } from "./messages.ts";
import styles from "./reports.module.css";
import { formatValue } from "./values.ts";

const Value = ({ text, unit }: { readonly text: string; readonly unit: FigureUnit }) =>
  text === "null" ? (
    <>
      <span aria-hidden>{texts.noValue}</span>
      <span className="visually-hidden">{texts.noValueSpoken}</span>
    </>
  ) : (
    formatValue(text, unit)
  );

interface FiguresTableProps {
  readonly figure: Figure;
  readonly interval: MetricInterval;
  /** Screen readers read it beside a chart. */
  readonly isHidden: boolean;
}

/** The numbers of a chart. A wide table scrolls in its frame, which the keyboard reaches. */
export const FiguresTable = ({
  figure: { title, series, rows, unit, zone },
  interval,
  isHidden,
}: FiguresTableProps) => (
  <div
    className={isHidden ? "visually-hidden" : styles.tableFrame}
    {...(!isHidden && { role: "region", "aria-label": texts.tableOf(title), tabIndex: 0 })}
  >
    <table className={styles.figures}>
      <caption className="visually-hidden">{title}</caption>
      <thead>
        <tr>
          <th scope="col">{texts.intervalColumn(zone.name)}</th>
          {series.map(({ name }) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ start, values }) => (
          <tr key={start}>
            <th scope="row">{intervalName(start, interval, zone)}</th>
            {values.map((text, index) => (
              <td key={series[index]?.name}>
                <Value text={text} unit={unit} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
