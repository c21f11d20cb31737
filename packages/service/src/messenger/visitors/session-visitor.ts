import { FORBIDDEN, refuse, VISITOR_BLOCKED } from "@parley/contract";
import type { ApiCaller, CallerVisitor } from "../../http/route-handlers.ts";

/** -> the visitor of a session @errors FORBIDDEN for another credential, which the rows of the messenger don't admit */
export const sessionVisitor = ({ visitor }: Pick<ApiCaller, "visitor">): CallerVisitor => visitor ?? refuse(FORBIDDEN);

/** -> the visitor of a session, who may write @errors FORBIDDEN, VISITOR_BLOCKED */
export const writingVisitor = (caller: Pick<ApiCaller, "visitor">): CallerVisitor => {
  const visitor = sessionVisitor(caller);
  return visitor.isBlocked ? refuse(VISITOR_BLOCKED) : visitor;
};
