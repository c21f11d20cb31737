import { ADMIN_ROUTES } from "@parley/client/admin";
import { adminClient } from "@parley/client/session";
import { sessionOptions } from "../session/session.ts";

const client = adminClient(sessionOptions, ADMIN_ROUTES);

/** Requests of the administration, with the agent's session. */
export const { admin: adminCalls, platform: platformCalls } = client;
