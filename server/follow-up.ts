import type { EventPayload } from "@parley/framework/sdk";
import type { UseCase } from "./lib/use-case.ts";

export const followUp: UseCase<EventPayload> = {
  name: "follow-up",
  run: () => Promise.resolve(),
};
