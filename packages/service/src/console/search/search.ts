import type { Db } from "@parley/database";
import type { AgentReach } from "../../messaging/conversations/reach.sql.ts";
import type { FindConversationId } from "../../messaging/conversations/find.ts";
import type { PersonalDataEraser } from "../../base/db/tables.ts";
import type { Directory } from "../../messaging/directory/directory.ts";
import type { ResourceRoutes } from "../../http/route-handlers.ts";
import { startProjector, type Projector, type ProjectorOptions } from "../../base/log/projector.ts";
import { searchEraser } from "./eraser.sql.ts";
import { createFind } from "./find.ts";
import { createSearchProjection, SEARCH_INDEX_RULES, type SearchIndexRules } from "./projection.ts";
import { searchRoutes } from "./routes.ts";

interface SearchPartDeps extends ProjectorOptions {
  readonly heavy: Db;
  readonly directory: Directory;
  readonly reach: AgentReach;
  readonly findId: FindConversationId;
  /** The default when absent. */
  readonly rules: SearchIndexRules | undefined;
}

interface Search {
  readonly slice: ResourceRoutes;
  readonly eraser: PersonalDataEraser;
  /** Keeps the index up to date. */
  readonly projector: Projector;
}

/** Wires the search: its index, its endpoint, its erasure. */
export const createSearch = ({
  heavy,
  directory,
  reach,
  findId,
  rules = SEARCH_INDEX_RULES,
  ...options
}: SearchPartDeps): Search => ({
  slice: searchRoutes({ find: createFind({ heavy, reach }), findId, directory }),
  eraser: searchEraser,
  projector: startProjector(createSearchProjection(rules), options),
});
