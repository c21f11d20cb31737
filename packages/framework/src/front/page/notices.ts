/** Kinds of a notice, and whether it stays until it is taken away. */
const KINDS: ReadonlyMap<string, { readonly look: string; readonly stays: boolean }> = new Map([
  ["info", { look: "", stays: false }],
  ["success", { look: "good", stays: false }],
  ["warning", { look: "warn", stays: false }],
  ["alert", { look: "warn", stays: false }],
  ["danger", { look: "bad", stays: true }],
  ["error", { look: "bad", stays: true }],
]);
export const NOTICE_KINDS = [...KINDS.keys()];

/** @units milliseconds */
const STAY = 8_000;
const MOST = 4;
/** A notice is a short word: of what is longer the beginning is shown. */
const TITLE_CHARACTERS = 80;
const CHARACTERS = 240;

const beginning = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1).trimEnd()}…` : text;

export type Notify = (kind: string, title: string, message: string) => void;

/** Short words to the agent, in a region that is read out. */
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
    // Above a dialog that was opened since.
    region.hidePopover();
    region.showPopover();
    while (region.children.length > MOST) region.firstElementChild?.remove();
    region.scrollTop = notice.offsetTop;
    if (stays) return;
    const leave = () => {
      if (notice.matches(":hover, :focus-within")) setTimeout(leave, STAY);
      else notice.remove();
    };
    setTimeout(leave, STAY);
  };
