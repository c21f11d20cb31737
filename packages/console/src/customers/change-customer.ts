import type { User } from "@parley/contract";
import type { QueryClient } from "@tanstack/react-query";
import { client } from "../session/session.ts";
import { showError, showToast } from "../ui/toast-store.ts";
import { uiMessages } from "../ui/messages.ts";
import { patchUsers } from "./customer-cache.ts";
import type { EditedField } from "./customer-fields.ts";
import { customerQuery } from "./customer-queries.ts";
import { customerMessages as texts } from "./messages.ts";

const save = async (queries: QueryClient, user: User, field: EditedField, value: string): Promise<void> => {
  const { queryKey } = customerQuery(user.id);
  const present = (): User => queries.getQueryData(queryKey) ?? user;
  const before = present()[field] ?? "";
  const show = (shown: string): void => patchUsers(queries, new Map([[user.id, { ...present(), [field]: shown }]]));
  show(value);
  try {
    await client.users.updateUser({ params: { user_id: user.id }, body: { [field]: value } });
  } catch (error) {
    show(before);
    throw error;
  }
};

/**
 * Changes a field of a customer, which is shown at once; a toast offers to take it back. An empty value removes the field's value.
 * @errors those of updateUser
 */
export const changeCustomer = async (
  queries: QueryClient,
  user: User,
  field: EditedField,
  value: string,
): Promise<void> => {
  const before = queries.getQueryData(customerQuery(user.id).queryKey)?.[field] ?? user[field] ?? "";
  if (value === before) return;
  await save(queries, user, field, value);
  const undo = (): void => void save(queries, user, field, before).catch(showError);
  showToast(texts.changed(texts[field]), { action: { label: uiMessages.undo, run: undo } });
};
