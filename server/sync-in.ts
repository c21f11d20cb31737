import type { ExternalPayload } from "@parley/framework/sdk";
import type { UseCase } from "./lib/use-case.ts";

export const syncIn: UseCase<ExternalPayload> = {
  name: "sync-in",
  run: () => Promise.resolve(),
};
