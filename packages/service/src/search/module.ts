import type { Connection, Db, Pool } from "@parley/database";
import type { AgentReach } from "../conversations/reach.sql.ts";
import type { FindConversationId } from "../conversations/find.ts";
import type { PersonalDataEraser } from "../db/tables.ts";
import type { Directory } from "../directory/directory.ts";
import type { ResourceRoutes } from "../http/route-handlers.ts";
import { startProjector, type Projector } from "../log/projector.ts";
import { searchEraser } from "./eraser.sql.ts";
import { createFind } from "./find.ts";
import { createSearchProjection, SEARCH_INDEX_RULES, type SearchIndexRules } from "./projection.ts";
import { searchRoutes } from "./routes.ts";

interface SearchModuleDeps {
  /** Opens the connection of the projection. */
  readonly connect: () => Promise<Connection>;
  readonly pool: Pool;
  readonly heavy: Db;
  readonly directory: Directory;
  readonly reach: AgentReach;
  readonly findId: FindConversationId;
  /** The default when absent. */
  readonly rules: SearchIndexRules | undefined;
  readonly log: (line: string) => void;
}

interface SearchModule {
  readonly slice: ResourceRoutes;
  readonly eraser: PersonalDataEraser;
  /** Keeps the index up to date. */
  readonly projector: Projector;
}

/** Wires the search: its index, its endpoint, its erasure. */
export const createSearchModule = ({
  connect,
  pool,
  heavy,
  directory,
  reach,
  findId,
  rules = SEARCH_INDEX_RULES,
  log,
}: SearchModuleDeps): SearchModule => ({
  slice: searchRoutes({ find: createFind({ heavy, reach }), findId, directory }),
  eraser: searchEraser,
  projector: startProjector(createSearchProjection(rules), { connect, db: pool, log }),
});
