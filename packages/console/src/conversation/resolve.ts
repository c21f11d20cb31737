import type { Field, InboxItem, Workspace } from "@parley/contract";
import { isProblemError } from "@parley/client/session";
import type { QueryClient } from "@tanstack/react-query";
import { interceptorRefusal } from "../composer/interceptors.ts";
import { createStore } from "../state/store.ts";
import { showError, showToast } from "../ui/toast-store.ts";
import { resolveConversation } from "./actions.ts";

/** Properties that are asked for before a conversation is resolved. */
export interface RequiredProperties {
  readonly item: InboxItem;
  readonly fields: readonly Field[];
  /** Message of the service, if it found a value missing that was not known to be required. */
  readonly problem?: string;
}

/** Undefined: nothing is asked for. The open conversation shows the dialog. */
export const requiredProperties = createStore<RequiredProperties | undefined>(undefined);

/** Required fields by position. @shape all: also those that have a value */
const requiredFields = ({ fields }: Pick<Workspace, "fields">): readonly Field[] =>
  fields.filter(({ required }) => required).toSorted((one, other) => one.position - other.position);

const missingFields = (
  workspace: Pick<Workspace, "fields">,
  { properties }: Pick<InboxItem, "properties">,
): readonly Field[] => requiredFields(workspace).filter(({ name }) => (properties[name] ?? "").length === 0);

/** Resolves a conversation, unless an app refuses it or required properties have no value: then these are asked for first. */
export const requestResolve = async (queries: QueryClient, item: InboxItem, workspace: Workspace): Promise<void> => {
  const refusal = await interceptorRefusal("resolve", { conversationId: item.conversation_id });
  if (refusal !== undefined) return void showToast(refusal, { tone: "error" });
  const missing = missingFields(workspace, item);
  if (missing.length > 0) return requiredProperties.set({ item, fields: missing });
  try {
    await resolveConversation(queries, item);
  } catch (error) {
    // A field became required after this page was loaded, or a value was removed elsewhere.
    const fields = requiredFields(workspace);
    if (isProblemError(error, "PROPERTY_REQUIRED") && fields.length > 0)
      requiredProperties.set({ item, fields, problem: error.problem.message });
    else showError(error);
  }
};
