import type { PanelReply } from "../../server/lib/panel-view.ts";
import { byId, drawItems, createElement, setText, show } from "./elements.ts";

/** With more replies, a search field is shown. */
const REPLIES_WITHOUT_SEARCH_MAX = 7;
const NUMBERED_REPLIES_MAX = 9;

/**
 * The list of replies: one tab stop; arrow keys move the active entry; Enter or the number of an entry chooses it.
 * @param choose inserts the reply of this name into the editor
 */
export const createReplyList = (choose: (name: string) => Promise<void>) => {
  const list = byId<HTMLOListElement>("replies");
  const filter = byId<HTMLInputElement>("filter");
  let replies: readonly PanelReply[] = [];
  /** Name of the entry with the tab stop. */
  let current = "";

  const matchingReplies = (): readonly PanelReply[] => {
    const words = filter.value.trim().toLowerCase().split(/\s+/);
    return replies.filter(({ name, text }) => words.every((word) => `${name} ${text}`.toLowerCase().includes(word)));
  };
  const buttons = (): readonly HTMLButtonElement[] => [...list.querySelectorAll("button")];
  const updateTabStop = () => {
    const all = buttons();
    const stop = all.find((button) => button.dataset["name"] === current) ?? all[0];
    for (const button of all) button.tabIndex = button === stop ? 0 : -1;
  };
  const focusReply = (button: HTMLButtonElement | undefined) => {
    if (!button) return;
    current = button.dataset["name"] ?? "";
    updateTabStop();
    button.focus();
  };

  const draw = () => {
    drawItems(list, matchingReplies(), {
      key: ({ name }) => name,
      make: () => {
        const item = createElement("li");
        const button = createElement("button", "choice reply");
        button.type = "button";
        button.append(createElement("kbd"), createElement("span", "what"), createElement("span", "muted text"));
        button.addEventListener("click", () => void choose(button.dataset["name"] ?? ""));
        button.addEventListener("focus", () => {
          current = button.dataset["name"] ?? "";
          updateTabStop();
        });
        item.append(button);
        return item;
      },
      draw: (item, { name, text }, index) => {
        const button = item.firstElementChild as HTMLButtonElement;
        const [number, title, preview] = [...button.children] as [HTMLElement, HTMLElement, HTMLElement];
        button.dataset["name"] = name;
        setText(number, index < NUMBERED_REPLIES_MAX ? String(index + 1) : "");
        setText(title, name);
        setText(preview, text);
      },
    });
    updateTabStop();
  };

  list.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const all = buttons();
    const index = all.findIndex((button) => button === document.activeElement);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: Math.min(index + 1, all.length - 1),
      ArrowUp: Math.max(index - 1, 0),
      Home: 0,
      End: all.length - 1,
    };
    const to = moves[event.key];
    const chosen = /^[1-9]$/.test(event.key) ? all[Number(event.key) - 1] : undefined;
    if (to === undefined && !chosen) return;
    event.preventDefault();
    focusReply(chosen ?? all[to ?? 0]);
    if (chosen && !event.repeat) void choose(chosen.dataset["name"] ?? "");
  });
  filter.addEventListener("input", draw);
  filter.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "Enter") return;
    event.preventDefault();
    const [first] = buttons();
    if (event.key === "ArrowDown") focusReply(first);
    else if (first && !event.repeat) void choose(first.dataset["name"] ?? "");
  });

  return {
    show(current: readonly PanelReply[]) {
      replies = current;
      show(filter, replies.length > REPLIES_WITHOUT_SEARCH_MAX);
      show(byId("no-replies"), replies.length === 0);
      show(byId("replies-hint"), replies.length > 0);
      draw();
    },
  };
};
