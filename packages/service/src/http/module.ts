import type { Base } from "../base/module.ts";
import type { AreaModule } from "./area-module.ts";
import { createIdempotentRequests } from "./idempotency/idempotent-requests.ts";

/** Requests with an idempotency key, and the removal of their records. */
export const createHttpModule = (base: Base, { keyWaitMs }: { readonly keyWaitMs?: number | undefined }) => {
  const { reads, writes, pool, jobs, ports } = base;
  const { runIdempotently, tasks, eraser } = createIdempotentRequests({
    ...{ reads, writes, pool, jobs },
    now: ports.now,
    waitMs: keyWaitMs,
  });
  return { runIdempotently, tasks, erasers: [eraser] } satisfies AreaModule & Record<string, unknown>;
};
