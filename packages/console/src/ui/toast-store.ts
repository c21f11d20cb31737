import { errorText } from "./error-text.ts";
import { createStore } from "../state/store.ts";

export interface ToastAction {
  readonly label: string;
  readonly run: () => void;
}

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: "info" | "error";
  readonly action?: ToastAction;
}

/** Further toasts replace the oldest toasts. */
const TOASTS_MAX = 4;

export const toasts = createStore<readonly Toast[]>([]);
let lastId = 0;

export const closeToast = (id: number): void => toasts.update((shown) => shown.filter((toast) => toast.id !== id));

/** Shows a short message. @shape action: such as undoing what the message says */
export const showToast = (
  text: string,
  options: { readonly action?: ToastAction; readonly tone?: Toast["tone"] } = {},
): number => {
  const { action, tone = "info" } = options;
  const id = ++lastId;
  toasts.update((shown) => [...shown.slice(1 - TOASTS_MAX), { id, text, tone, ...(action && { action }) }]);
  return id;
};

/** Runs the action of the newest toast with an action of this name. -> false without such a toast */
export const runToastAction = (label: string): boolean => {
  const found = toasts.get().findLast(({ action }) => action?.label === label);
  if (!found) return false;
  closeToast(found.id);
  found.action?.run();
  return true;
};

/** Shows why something failed. */
export const showError = (error: unknown): void => void showToast(errorText(error), { tone: "error" });
