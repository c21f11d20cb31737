import type { Connect } from "../bridge/bridge.ts";

export type { Connect };
