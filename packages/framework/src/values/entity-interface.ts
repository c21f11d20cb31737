import { memberOf, type EntityAction } from "@parley/contract";

/** A table of its own: the schemas of the contract have no place in a page's script. */
const ACTIONS: Readonly<Record<EntityAction, true>> = {
  schema: true,
  create: true,
  get: true,
  getAll: true,
  update: true,
  delete: true,
};

type Ask = (question: {
  readonly of: "entity";
  readonly entity: unknown;
  readonly action: EntityAction;
  readonly args: readonly unknown[];
}) => Promise<unknown>;

/** What JSON has no word for, the host would miss. */
const orNull = (value: unknown): unknown => value ?? null;

/**
 * `entity({ version: "v1" }).get("<name>")`, in server/ and in app/: an interface with one method an action.
 * @errors Error for another version
 */
export const entityStorage =
  (ask: Ask) =>
  (options?: unknown): unknown => {
    const version: unknown = memberOf(options, "version");
    if (version !== "v1") throw new Error(`Entity storage has the version v1 only: call entity({ version: "v1" })`);
    return {
      get: (entity: unknown) =>
        Object.fromEntries(
          (Object.keys(ACTIONS) as EntityAction[]).map((action) => [
            action,
            (...args: unknown[]) =>
              ask({ of: "entity", entity: orNull(entity), action, args: args.slice(0, 2).map(orNull) }),
          ]),
        ),
    };
  };
