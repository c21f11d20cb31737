import type { EventPayload } from "@parley/framework/sdk";
import type { UseCase } from "./lib/use-case.ts";

export const route: UseCase<EventPayload> = {
  name: "route",
  run: () => Promise.resolve(),
};
