import { EDITOR_TEXT_MAX, type ComposerElement, type TextPosition } from "@parley/contract";
import type { ProductSurface } from "./actions.ts";
import { confirm, openDialog } from "./dialogs.ts";
import { FrameRefusal, type AppFrames } from "./instances.ts";
import type { Notify } from "./notices.ts";

type PageControl = HTMLTextAreaElement | HTMLButtonElement | HTMLSelectElement | HTMLInputElement;

interface PageSurfaceDeps {
  readonly instances: AppFrames;
  readonly notify: Notify;
  readonly elements: Readonly<Record<ComposerElement, PageControl>>;
  readonly editor: HTMLTextAreaElement;
  readonly openConversation: (id: string) => void;
}

const insertText = (editor: HTMLTextAreaElement, text: string, at: TextPosition): void => {
  const { selectionStart, selectionEnd, value } = editor;
  const ranges: Readonly<Record<TextPosition, readonly [number, number]>> = {
    cursor: [selectionStart, selectionEnd],
    start: [0, 0],
    end: [value.length, value.length],
    all: [0, value.length],
  };
  const [from, to] = ranges[at];
  if (value.length - (to - from) + text.length > EDITOR_TEXT_MAX)
    throw new FrameRefusal(`setValue: the editor takes at most ${EDITOR_TEXT_MAX} characters.`);
  editor.setRangeText(text, from, to, "end");
  editor.dispatchEvent(new Event("input", { bubbles: true }));
};

/** The page with its own editor, dialogs and notices. */
export const createPageSurface = ({
  instances,
  notify,
  elements,
  editor,
  openConversation,
}: PageSurfaceDeps): ProductSurface => ({
  notify,
  confirm: (requester, question) => confirm(instances, requester, question),
  openDialog: (spec, kind) => openDialog(instances, spec, kind),
  insertText: (text, at) => insertText(editor, text, at),
  changeElement(name, change) {
    const element = elements[name];
    if (change === "hide" || change === "show") element.classList.toggle("gone", change === "hide");
    else element.disabled = change === "disable";
  },
  click(name) {
    const element = elements[name];
    if (element.disabled || element.matches(":disabled")) throw new FrameRefusal(`click: '${name}' is disabled.`);
    element.click();
  },
  openConversation,
});
