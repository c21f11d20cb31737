import { statfs } from "node:fs/promises";
import type { Metrics } from "@parley/telemetry";
import { realPorts } from "@parley/service/ports";
import { lastBackupTime } from "../backup/last-backup.ts";

/** Reports the disk of the data folder, which with the embedded server is that of the database, and the age of the last backup. */
export const reportDataFolder = (metrics: Metrics, dataFolder: string): void => {
  if (!metrics.isOn) return;
  metrics.gauge("parley_data_disk_bytes", async () => {
    const { bavail, blocks, bsize } = await statfs(dataFolder);
    return [
      { labels: { state: "free" }, value: bavail * bsize },
      { labels: { state: "total" }, value: blocks * bsize },
    ];
  });
  metrics.gauge("parley_backup_age_seconds", async () => {
    const time = await lastBackupTime(dataFolder);
    return time ? [{ labels: {}, value: (realPorts.now().getTime() - time.getTime()) / 1_000 }] : [];
  });
};
