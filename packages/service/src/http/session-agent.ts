import { FORBIDDEN, refuse } from "@parley/contract";
import type { ApiCaller, CallerAgent } from "./route-handlers.ts";

/** The agent of a request to the console, which admits sessions only. @errors FORBIDDEN for another credential */
export const sessionAgent = ({ agent }: Pick<ApiCaller, "agent">): CallerAgent =>
  agent ?? refuse(FORBIDDEN, "This needs the session of an agent.");
