import { createStore } from "../state/store.ts";
import { showError } from "../ui/toast-store.ts";
import { customerName } from "../workspace/workspace.ts";
import { groupNotices, type MessageNotification } from "./notice.ts";
import { preferenceMessages as texts } from "./messages.ts";

/** `unsupported`: the browser has no notifications, or the page was loaded without https. */
export type DesktopPermission = NotificationPermission | "unsupported";

const present = (): DesktopPermission => ("Notification" in globalThis ? Notification.permission : "unsupported");

export const desktopPermission = createStore<DesktopPermission>(present());

/** Reads the permission anew: the agent may have changed it in the browser. */
export const readDesktopPermission = (): void => desktopPermission.set(present());

/** Shows the browser's question, if it was not answered yet. */
export const requestDesktopPermission = async (): Promise<DesktopPermission> => {
  if ("Notification" in globalThis) await Notification.requestPermission();
  desktopPermission.set(present());
  return desktopPermission.get();
};

/** The notified conversation that the agent opens; undefined: the inbox. */
type OpenListener = (conversationId: string | undefined) => void;
const openListeners = new Set<OpenListener>();

/** Calls the listener when the agent clicks a notification. -> the function that ends it */
export const onNoticeOpened = (listener: OpenListener): (() => void) => {
  openListeners.add(listener);
  return () => void openListeners.delete(listener);
};

/** More conversations at once are summed up in one notification. */
const SEPARATE_MAX = 3;

const show = (title: string, body: string, tag: string, conversationId: string | undefined): void => {
  // One with the same tag is replaced. The console has sounds of its own.
  const notification = new Notification(title, { body, tag, icon: "/console/icon.svg", silent: true });
  notification.onclick = () => {
    window.focus();
    notification.close();
    for (const listener of openListeners) listener(conversationId);
  };
};

/** Shows one notification a conversation, or one for all of them. */
export const showDesktopNotices = (notices: readonly MessageNotification[]): void => {
  if (present() !== "granted") return;
  const groups = groupNotices(notices);
  try {
    if (groups.length > SEPARATE_MAX) {
      show(texts.summary(notices.length, groups.length), "", "parley", undefined);
      return;
    }
    for (const { latest, count } of groups) {
      const { conversationId, customer, text } = latest;
      const more = count > 1 ? ` ${texts.more(count - 1)}` : "";
      show(customerName(customer), `${text || texts.withoutText}${more}`, conversationId, conversationId);
    }
  } catch {
    // Browsers of phones allow notifications of service workers only.
  }
};

export const showTestNotice = (): void => {
  try {
    show(texts.testTitle, texts.testText, "parley-test", undefined);
  } catch (error) {
    showError(error);
  }
};
