import type { EventPayload } from "@parley/framework/sdk";
import type { UseCase } from "./lib/use-case.ts";

export const afterHours: UseCase<EventPayload> = {
  name: "after-hours",
  run: () => Promise.resolve(),
};
