/** Pages of docs/operators that are generated from the contract and from the list of metrics. */
import { cell, code } from "./markdown-cell.mjs";

/** @shape rows: `environmentRows()` of the contract */
export const configurationPage = (groups, rows) =>
  [
    "# Configuration",
    "",
    "Set environment variables before `npm start`, `parley start`, `parley run` or `parley serve`. All of them are optional; the `--help` of a",
    "command lists those that it reads. This page is generated from the contract by `npm run docs`.",
    "",
    ...groups.flatMap((group) => [
      `## ${group}`,
      "",
      "| variable | default | what it sets |",
      "|---|---|---|",
      ...rows
        .filter((row) => row.group === group)
        .map(({ name, unset, sets, page }) => {
          const [title, path] = page ?? [];
          const details = title
            ? `: [${title}](${path.startsWith("operators/") ? path.slice("operators/".length) : `../${path}`})`
            : "";
          return `| \`${name}\` | ${cell(code(unset))} | ${cell(code(sets))}${details} |`;
        }),
      "",
    ]),
  ].join("\n");

/** @shape table: `METRICS` of the telemetry package */
export const metricsPage = (table) =>
  [
    "# Metrics",
    "",
    "Look up a metric that `/metrics` serves. [Monitoring](monitoring.md) says how to turn it on. This page is generated from the code by",
    "`npm run docs`.",
    "",
    "`process`: each process has its own value, with the label `process`. `sum`: the processes of one start are added. `installation`: the value is",
    "read from the database, and every machine reports the same; take the maximum.",
    "",
    "| metric | type | labels | values | meaning |",
    "|---|---|---|---|---|",
    ...Object.entries(table).map(
      ([name, { type, labels, scope, help }]) =>
        `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(", ")} | ${scope} | ${cell(help)} |`,
    ),
    "",
    "Besides, each process has the metrics `process_*` and `nodejs_*`: processor time, memory, open files, delay of the event loop, garbage",
    "collections.",
    "",
  ].join("\n");
