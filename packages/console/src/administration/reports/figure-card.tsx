import type { MetricInterval } from "@parley/contract";
import { useId, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { downloadFile } from "../../ui/download.ts";
import admin from "../administration.module.css";
import { drawnSeries, figureCsv, isEmptyFigure, type Figure } from "./figures.ts";
import { FiguresTable } from "./figures-table.tsx";
import { fileSpan, intervalName } from "./intervals.ts";
import { LineChart } from "./line-chart.tsx";
import { reportMessages as texts } from "./messages.ts";
import { SeriesSample } from "./series-style.tsx";
import { summaryOf } from "./summary.ts";
import styles from "./reports.module.css";
import { formatValue } from "./values.ts";

/** Longer tables are not rendered besides their charts: a page has eight, of up to 10,000 rows each. */
const HIDDEN_ROWS_MAX = 400;

interface FigureCardProps {
  readonly figure: Figure;
  readonly interval: MetricInterval;
  /** @shape as the API sends it */
  readonly span: { readonly start: string; readonly end: string };
}

/** The chosen interval, and the values of the lines in it with how they look. */
const Legend = ({
  figure: { rows, series, unit, zone },
  drawn,
  interval,
  selected,
}: Omit<FigureCardProps, "span"> & { readonly drawn: readonly number[]; readonly selected: number }) => (
  <div className={styles.legend} aria-hidden>
    <span className={styles.legendTitle}>{intervalName(rows[selected]?.start ?? "", interval, zone)}</span>
    {drawn.map((column, place) => (
      <span key={column} className={styles.legendEntry}>
        <SeriesSample place={place} />
        {texts.valueOf(series[column]?.name ?? "", formatValue(rows[selected]?.values[column] ?? "null", unit))}
      </span>
    ))}
  </div>
);

/** A chart with its heading and summary; its numbers as a table and as a file. */
export const FigureCard = ({ figure, interval, span }: FigureCardProps) => {
  const id = useId();
  const [isTable, setTable] = useState(false);
  const [chosen, setChosen] = useState(Number.POSITIVE_INFINITY);
  const { title, rows, series } = figure;
  const isEmpty = isEmptyFigure(figure);
  const drawn = drawnSeries(figure);
  const selected = Math.min(chosen, rows.length - 1);
  const download = (): void =>
    downloadFile(
      new Blob([figureCsv(figure)], { type: "text/csv;charset=utf-8" }),
      `${figure.id}_${fileSpan(span, figure.zone)}.csv`,
    );
  return (
    <section className={styles.card} aria-labelledby={id}>
      <div className={styles.cardHeader}>
        <h3 id={id} className={admin.heading}>
          {title}
        </h3>
        {!isEmpty && (
          <div className={styles.cardButtons}>
            <Button
              isSmall
              aria-label={isTable ? texts.showChartOf(title) : texts.showTableOf(title)}
              onPress={() => setTable(!isTable)}
            >
              {isTable ? texts.showChart : texts.showTable}
            </Button>
            <Button isSmall icon="download" aria-label={texts.downloadOf(title)} onPress={download}>
              {texts.download}
            </Button>
          </div>
        )}
      </div>
      <p className={admin.muted}>{summaryOf(figure, interval)}</p>
      {!isEmpty && !isTable && (
        <>
          <Legend figure={figure} interval={interval} drawn={drawn} selected={selected} />
          <LineChart figure={figure} drawn={drawn} interval={interval} selected={selected} onSelect={setChosen} />
          {drawn.length < series.length && <p className={admin.muted}>{texts.drawn(drawn.length, series.length)}</p>}
          {rows.length > HIDDEN_ROWS_MAX && <p className="visually-hidden">{texts.longTable(rows.length)}</p>}
        </>
      )}
      {!isEmpty && (isTable || rows.length <= HIDDEN_ROWS_MAX) && (
        <FiguresTable figure={figure} interval={interval} isHidden={!isTable} />
      )}
    </section>
  );
};
