import type { ConsoleApp, ElementChange } from "@parley/contract";
import { activeComposer, changeElement, clickElement, type ElementState } from "../composer/composer-state.ts";
import { showToast } from "../ui/toast-store.ts";
import { askAgent } from "./app-questions.ts";
import type { AppFrameHandlers } from "./embedding/index.ts";

const ELEMENT_STATES: Readonly<Record<ElementChange, Partial<ElementState>>> = {
  hide: { isVisible: false },
  show: { isVisible: true },
  enable: { isEnabled: true },
  disable: { isEnabled: false },
};

const ERROR_NOTICES: readonly string[] = ["danger", "error", "alert"];

type OwnHandlers = Pick<AppFrameHandlers, "resize" | "close"> & {
  readonly failed: (message: string) => void;
  readonly openConversation: (id: string) => void;
};

/** Actions of an app on the console, apart from its own frame. */
export const createFrameHandlers = (
  { title }: Pick<ConsoleApp, "title">,
  { resize, close, failed, openConversation }: OwnHandlers,
): AppFrameHandlers => ({
  notify: ({ kind, title: heading, message }) =>
    void showToast([heading || title, message].filter(Boolean).join(": "), {
      tone: ERROR_NOTICES.includes(kind) ? "error" : "info",
    }),
  confirm: (question) => askAgent(question),
  setEditorText(text, at) {
    const composer = activeComposer.get();
    if (!composer) throw new Error("No conversation is open.");
    composer.insertText(text, at);
  },
  setElementState: (element, change) => changeElement(element, ELEMENT_STATES[change]),
  click(element, value) {
    if (element === "conversation") {
      if (value !== undefined) openConversation(value);
    } else if (!clickElement(element)) {
      throw new Error(`The element ${element} is disabled, or is not shown.`);
    }
  },
  resize,
  close,
  failed: ({ message }) => failed(message),
});
