import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "@jest/globals";
import { METRICS } from "@parley/telemetry";
import { ROOT } from "../support/parley-process.ts";

/** The dashboard and the alert rules in `deploy/monitoring`. */

const FOLDER = join(ROOT, "deploy/monitoring");
const read = (name: string) => readFile(join(FOLDER, name), "utf8");

/** -> names of metrics of Parley, without the endings of histograms */
const metricsIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/\bparley_\w+/g)].map(([name]) => name.replace(/_(?:bucket|sum|count)$/, ""))),
];

test.each(["dashboard.json", "alerts.yaml"])("%s names metrics that exist", async (name) => {
  expect(metricsIn(await read(name)).filter((metric) => !(metric in METRICS))).toEqual([]);
});

test("the dashboard shows every metric", async () => {
  const shown = metricsIn(await read("dashboard.json"));
  expect(Object.keys(METRICS).filter((metric) => !shown.includes(metric))).toEqual([]);
});

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
}

test("no panel of the dashboard covers another panel, and each has an id and a title of its own", async () => {
  const { panels } = JSON.parse(await read("dashboard.json")) as { panels: Panel[] };
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  const covers = ({ gridPos: a }: Panel, { gridPos: b }: Panel) =>
    a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
  const covered = panels.filter((one) => panels.some((other) => other !== one && covers(one, other)));
  expect(covered).toEqual([]);
});

const promtool = (...args: string[]) => promisify(execFile)("promtool", args, { cwd: FOLDER });
const hasPromtool = await promtool("--version").then(
  () => true,
  () => false,
);

/** The package `prometheus` of Debian has it. */
(hasPromtool ? describe : describe.skip)("promtool", () => {
  test("accepts the configuration and the rules", async () => {
    await promtool("check", "config", "prometheus.yaml");
    await promtool("check", "rules", "alerts.yaml");
  });

  test("raises each alert for numbers that deserve it, and no alert for numbers of a healthy installation", async () => {
    await promtool("test", "rules", "alerts.test.yaml");
  });
});
