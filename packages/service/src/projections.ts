import { startAnalytics, type Analytics } from "./analytics/analytics.ts";
import { startInboxProjection } from "./inbox/module.ts";
import type { Projector, startProjector } from "./log/projector.ts";

/** All projections of the event log. */
interface Projections extends Pick<Projector, "begin" | "wake" | "close"> {
  readonly analytics: Analytics;
  readonly inbox: Projector;
}

/** Creates the projections; nothing is read before they begin. */
export const startProjections = (options: Parameters<typeof startProjector>[1]): Projections => {
  const projectors = { analytics: startAnalytics(options), inbox: startInboxProjection(options) };
  const all = Object.values(projectors);
  return {
    ...projectors,
    begin: () => {
      for (const each of all) each.begin();
    },
    wake: () => {
      for (const each of all) each.wake();
    },
    close: async () => {
      await Promise.all(all.map((each) => each.close()));
    },
  };
};
