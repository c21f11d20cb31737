import type { EventPayload } from "@parley/framework/sdk";
import type { UseCase } from "./lib/use-case.ts";

export const syncOut: UseCase<EventPayload> = {
  name: "sync-out",
  run: () => Promise.resolve(),
};
