import type { Projection } from "../../../base/log/projection.ts";
import { startProjector, type Projector } from "../../../base/log/projector.ts";
import { hourCells } from "./measures.ts";
import { projectEvents, openChanges } from "./projection.ts";
import { spanStore } from "./span.sql.ts";
import { analyticsStore } from "./store.ts";

const ANALYTICS: Projection = {
  name: "analytics",
  async project(tx, { from, to }) {
    const store = analyticsStore(tx);
    const events = await spanStore(tx).read(from, to);
    const interactionsBefore = await store.interactions(events);
    const projected = projectEvents(events, interactionsBefore);
    await store.add({
      ...projected,
      hours: hourCells(projected.measures),
      open: openChanges(interactionsBefore, projected.interactions),
    });
  },
};

/** Projects committed events into the tables that reports and metrics read. */
export type Analytics = Projector;

export const startAnalytics = (options: Parameters<typeof startProjector>[1]): Analytics =>
  startProjector(ANALYTICS, options);
