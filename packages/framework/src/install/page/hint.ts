import { urlOf } from "@parley/contract";

/** A hint that is longer is folded. @units characters, lines */
const foldFrom = { characters: 320, lines: 6 };

const ADDRESS = /https?:\/\/[^\s<>"'`(){}[\]]+/gi;
/** Ends a sentence rather than an address. */
const TRAILING = /[.,;:!?…]+$/;

/** The text with its web addresses as links; anything else in it stays text. */
const linked = (text: string): (string | HTMLAnchorElement)[] => {
  const parts: (string | HTMLAnchorElement)[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = found.replace(TRAILING, "");
    if (!urlOf(address)) continue;
    const link = document.createElement("a");
    link.href = link.textContent = address;
    link.target = "_blank";
    link.rel = "noopener noreferrer";
    parts.push(text.slice(from, index), link);
    from = index + address.length;
  }
  return [...parts, text.slice(from)];
};

/** -> shows a text under a field, long ones folded until a person opens them. */
export const hintOf = (place: HTMLElement, more: HTMLElement): ((text: string) => void) => {
  let isOpen = false;
  let isLong = false;
  const fold = () => {
    place.classList.toggle("folded", isLong && !isOpen);
    more.hidden = !isLong;
    more.ariaExpanded = String(isOpen);
    const [verb] = more.childNodes;
    if (verb) verb.textContent = isOpen ? "Show less" : "Show more";
  };
  more.addEventListener("click", () => {
    isOpen = !isOpen;
    fold();
  });
  return (text) => {
    place.replaceChildren(...linked(text));
    place.hidden = text === "";
    isLong = text.length > foldFrom.characters || text.split("\n").length > foldFrom.lines;
    fold();
  };
};
