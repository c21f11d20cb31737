import type { ResourceRoutes } from "../../http/route-handlers.ts";
import { createChangeUser, type ChangeUser } from "./change.ts";
import { createCreateUser, type CreateUser } from "./create.ts";
import { startUserRanks } from "./ranks.ts";
import { createRemoveUser, type RemoveUser } from "./remove.ts";
import { userRoutes } from "./routes.ts";
import { userStore } from "./store.ts";

type UsersDeps = Parameters<typeof userStore>[0] &
  Pick<Parameters<typeof userRoutes>[0], "reach"> &
  Omit<Parameters<typeof createRemoveUser>[0], "users"> &
  Omit<Parameters<typeof createCreateUser>[0], "users"> &
  Parameters<typeof startUserRanks>[0];

interface Users {
  readonly slice: ResourceRoutes;
  readonly createUser: CreateUser;
  readonly changeUser: ChangeUser;
  readonly removeUser: RemoveUser;
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
  const changeUser = createChangeUser({ ...deps, users, wake });
  const removeUser = createRemoveUser({ ...deps, users });
  return {
    slice: userRoutes({ users, createUser, changeUser, removeUser, reach: deps.reach }),
    createUser,
    changeUser,
    removeUser,
    close: () => ranks.close(),
  };
};
