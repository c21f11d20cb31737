import { useQuery } from "@tanstack/react-query";
import { client } from "../session/session.ts";
import { customerName } from "../workspace/workspace.ts";
import type { FoundMessage } from "./result-lines.tsx";

/** The limit of the service. */
const IDS_MAX = 100;

/** -> names of the customers who wrote messages, by their ids; empty until they are known, and for those who were deleted */
export const useCustomerNames = (messages: readonly FoundMessage[]): ReadonlyMap<string, string> => {
  const authors = messages.map(({ message }) => message).filter(({ actor_type }) => actor_type === "user");
  const ids = [...new Set(authors.flatMap(({ actor_id }) => actor_id ?? []))].sort().slice(0, IDS_MAX);
  const { data } = useQuery({
    queryKey: ["search-authors", ...ids],
    queryFn: async ({ signal }) => {
      const { users } = await client.users.fetchUsers({ body: { ids }, signal });
      return new Map(users.map((user) => [user.id, customerName(user)]));
    },
    enabled: ids.length > 0,
    placeholderData: (before) => before,
  });
  return data ?? new Map<string, string>();
};
