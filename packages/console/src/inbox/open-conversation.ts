import { createStore } from "../state/store.ts";

/** Id of the conversation that the inbox shows beside its list. */
export const openConversation = createStore<string | undefined>(undefined);
