import { platform, type Endpoint, type Resource } from "@parley/contract";
import { rawJson, type HandlerContext, type ResourceRoutes, type RouteHandlers } from "../../http/route-handlers.ts";
import { createPlatformRequests, type PlatformRequestsDeps } from "./platform-requests.ts";

/** Input of a handler of any row; `addRoute` has checked it against the row. */
interface AnyInput extends HandlerContext {
  readonly params: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
}

/** Rows of the platform that a signed-in agent may ask, at the same paths. */
const sessionRows = (): readonly (readonly [string, Endpoint])[] =>
  Object.entries<Endpoint>(platform).filter(([, { access }]) => access.session !== undefined);

/**
 * Endpoints of the platform for pages of the console, which can talk to the service only. The admission of sessions has checked role and
 * account; the platform checks both again.
 */
export const platformRoutes = (deps: PlatformRequestsDeps): ResourceRoutes => {
  const requests = createPlatformRequests(deps);
  const rows = sessionRows();
  const handlerOf =
    (row: Endpoint) =>
    async ({ caller: { account, agent }, actor, params, query = {}, body }: AnyInput) => {
      if (!agent) throw new Error("Only sessions are admitted to these endpoints.");
      const { id: agent_id, email, role_id, role, scope } = agent;
      const answer = await requests.send(
        row,
        { params, query, body },
        // The platform needs no groups, which can be more than a header holds.
        { agent: { account: account.name, agent_id, email, role_id, role, scope, groups: [] }, address: actor.address },
      );
      return rawJson(JSON.stringify(answer));
    };
  return {
    resource: Object.fromEntries(rows) satisfies Resource,
    handlers: Object.fromEntries(
      rows.map(([operation, row]) => [operation, handlerOf(row)]),
    ) as unknown as RouteHandlers<Resource>,
  };
};
