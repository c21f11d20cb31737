import { memberOf, type EntityAction } from "@parley/contract";

/** Listed here rather than taken from the contract, because this module is part of page scripts and must not bundle the contract's schemas. */
const ENTITY_ACTIONS: Readonly<Record<EntityAction, true>> = {
  schema: true,
  create: true,
  get: true,
  getAll: true,
  update: true,
  delete: true,
};

type AskHost = (question: {
  readonly of: "entity";
  readonly entity: unknown;
  readonly action: EntityAction;
  readonly args: readonly unknown[];
}) => Promise<unknown>;

/** JSON omits undefined, so that the host would receive fewer arguments: null is sent instead. */
const orNull = (value: unknown): unknown => value ?? null;

/**
 * `entity({ version: "v1" }).get("<name>")` of `server/` and `app/`: an object with one method per action.
 * @errors Error for another version
 */
export const entityStorage =
  (ask: AskHost) =>
  (options?: unknown): unknown => {
    const version: unknown = memberOf(options, "version");
    if (version !== "v1") throw new Error(`Entity storage has the version v1 only: call entity({ version: "v1" })`);
    return {
      get: (entity: unknown) =>
        Object.fromEntries(
          (Object.keys(ENTITY_ACTIONS) as EntityAction[]).map((action) => [
            action,
            (...args: unknown[]) =>
              ask({ of: "entity", entity: orNull(entity), action, args: args.slice(0, 2).map(orNull) }),
          ]),
        ),
    };
  };
