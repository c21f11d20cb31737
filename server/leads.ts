import type { EventPayload } from "@parley/framework/sdk";
import type { UseCase } from "./lib/use-case.ts";

export const leads: UseCase<EventPayload> = {
  name: "leads",
  run: () => Promise.resolve(),
};
