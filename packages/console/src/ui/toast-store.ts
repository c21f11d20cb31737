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

/** How long a toast without an error stays. One with an error stays until it is closed. @units milliseconds */
const SHOWN_MS = 8_000;
/** More replace the oldest ones. */
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
  if (tone === "info") setTimeout(() => closeToast(id), SHOWN_MS);
  return id;
};

/** Shows why something failed. */
export const showError = (error: unknown): void => void showToast(errorText(error), { tone: "error" });
