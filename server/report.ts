import type { ScheduledPayload } from "@parley/framework/sdk";
import type { UseCase } from "./lib/use-case.ts";

export const report: UseCase<ScheduledPayload> = {
  name: "report",
  run: () => Promise.resolve(),
};
