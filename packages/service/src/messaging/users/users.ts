import type { ResourceRoutes } from "../../http/route-handlers.ts";
import { createCreateUser, type CreateUser } from "./create.ts";
import { startUserRanks } from "./ranks.ts";
import { userRoutes } from "./routes.ts";
import { userStore } from "./store.ts";

type UsersDeps = Parameters<typeof userStore>[0] &
  Omit<Parameters<typeof userRoutes>[0], "users" | "createUser"> &
  Parameters<typeof startUserRanks>[0];

interface Users {
  readonly slice: ResourceRoutes;
  readonly createUser: CreateUser;
  close(): Promise<void>;
}

/** Wires users: routes, and the counts of ranges that their lists rely on. */
export const createUsers = (deps: UsersDeps): Users => {
  const users = userStore(deps);
  const ranks = startUserRanks(deps);
  const wake = () => {
    deps.wake();
    ranks.wake();
  };
  const createUser = createCreateUser({ ...deps, users, wake });
  return {
    slice: userRoutes({ ...deps, users, createUser, wake }),
    createUser,
    close: () => ranks.close(),
  };
};
