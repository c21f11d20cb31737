import { createStore } from "../state/store.ts";

/** Whether the panel is open in which an agent writes as a customer. */
export const isTrialOpen = createStore(false);
export const openTrial = (): void => isTrialOpen.set(true);
export const closeTrial = (): void => isTrialOpen.set(false);
