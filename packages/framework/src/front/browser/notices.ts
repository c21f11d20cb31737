import type { NoticeKind } from "@parley/contract";

/** Kinds of notices, and whether a notice stays until it is dismissed. */
const KINDS: Readonly<Record<NoticeKind, { readonly className: string; readonly isPersistent: boolean }>> = {
  info: { className: "", isPersistent: false },
  success: { className: "good", isPersistent: false },
  warning: { className: "warn", isPersistent: false },
  alert: { className: "warn", isPersistent: false },
  danger: { className: "bad", isPersistent: true },
  error: { className: "bad", isPersistent: true },
};

/** Display time of other notices. @units milliseconds */
const DISPLAY_MS = 8_000;
const NOTICES_MAX = 4;
/** Maximum length of a notice; longer texts are truncated. */
const TITLE_CHARACTERS = 80;
const CHARACTERS = 240;

const truncate = (text: string, maxCharacters: number): string =>
  text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1).trimEnd()}…` : text;

export type Notify = (kind: NoticeKind, title: string, message: string) => void;

/** -> the notice, with texts that are too long truncated */
export const shortNotice = (title: string, message: string) => ({
  title: truncate(title, TITLE_CHARACTERS),
  message: truncate(message, CHARACTERS),
});

/** Notices to the agent, in a live region for screen readers. */
export const createNotices =
  (region: HTMLElement): Notify =>
  (kind, title, message) => {
    const { className, isPersistent } = KINDS[kind];
    const short = shortNotice(title, message);
    const notice = document.createElement("div");
    notice.className = `toast notice ${className}`;
    notice.dataset["kind"] = kind;
    const text = document.createElement("div");
    if (title !== "") {
      const head = document.createElement("strong");
      head.textContent = short.title;
      text.append(head);
    }
    const body = document.createElement("p");
    body.textContent = short.message;
    text.append(body);
    const dismissButton = document.createElement("button");
    dismissButton.type = "button";
    dismissButton.className = "plain";
    dismissButton.setAttribute("aria-label", "Dismiss");
    dismissButton.textContent = "✕";
    dismissButton.addEventListener("click", () => notice.remove());
    notice.append(text, dismissButton);
    region.append(notice);
    // Shown again above a dialog that was opened since.
    region.hidePopover();
    region.showPopover();
    while (region.children.length > NOTICES_MAX) region.firstElementChild?.remove();
    region.scrollTop = notice.offsetTop;
    if (isPersistent) return;
    const removeUnlessUsed = () => {
      if (notice.matches(":hover, :focus-within")) setTimeout(removeUnlessUsed, DISPLAY_MS);
      else notice.remove();
    };
    setTimeout(removeUnlessUsed, DISPLAY_MS);
  };
