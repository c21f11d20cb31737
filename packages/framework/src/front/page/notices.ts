/** Kinds of notices, and whether a notice stays until it is dismissed. */
const KINDS: ReadonlyMap<string, { readonly look: string; readonly stays: boolean }> = new Map([
  ["info", { look: "", stays: false }],
  ["success", { look: "good", stays: false }],
  ["warning", { look: "warn", stays: false }],
  ["alert", { look: "warn", stays: false }],
  ["danger", { look: "bad", stays: true }],
  ["error", { look: "bad", stays: true }],
]);
export const NOTICE_KINDS = [...KINDS.keys()];

/** Display time of other notices. @units milliseconds */
const DISPLAY_MS = 8_000;
const NOTICES_MAX = 4;
/** Maximum length of a notice; longer texts are truncated. */
const TITLE_CHARACTERS = 80;
const CHARACTERS = 240;

const beginning = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text;

export type Notify = (kind: string, title: string, message: string) => void;

/** Notices to the agent, in a live region for screen readers. */
export const createNotices =
  (region: HTMLElement): Notify =>
  (kind, title, message) => {
    const { look, stays } = KINDS.get(kind) ?? { look: "", stays: false };
    const notice = document.createElement("div");
    notice.className = `toast notice ${look}`;
    notice.dataset["kind"] = kind;
    const text = document.createElement("div");
    if (title !== "") {
      const head = document.createElement("strong");
      head.textContent = beginning(title, TITLE_CHARACTERS);
      text.append(head);
    }
    const body = document.createElement("p");
    body.textContent = beginning(message, CHARACTERS);
    text.append(body);
    const away = document.createElement("button");
    away.type = "button";
    away.className = "plain";
    away.setAttribute("aria-label", "Dismiss");
    away.textContent = "✕";
    away.addEventListener("click", () => notice.remove());
    notice.append(text, away);
    region.append(notice);
    // Shown again above a dialog that was opened since.
    region.hidePopover();
    region.showPopover();
    while (region.children.length > NOTICES_MAX) region.firstElementChild?.remove();
    region.scrollTop = notice.offsetTop;
    if (stays) return;
    const leave = () => {
      if (notice.matches(":hover, :focus-within")) setTimeout(leave, DISPLAY_MS);
      else notice.remove();
    };
    setTimeout(leave, DISPLAY_MS);
  };
