import {
  COMPOSER_ELEMENTS,
  EDITOR_TEXT_MAX,
  NOTICE_KINDS,
  type ComposerElement,
  type ElementChange,
  type TextPosition,
} from "@parley/contract";
import type { Confirmation } from "./dialogs.ts";
import { FrameRefusal, type AppInstanceFrame, type FrameSpec } from "./instances.ts";
import { membersOf, textMember } from "./messages.ts";
import type { Notify } from "./notices.ts";

/** A page of the app that another page opens. */
type DialogSpec = Omit<FrameSpec, "close"> & { readonly parent: AppInstanceFrame };
type DialogKind = "modal" | "dialog";

/** The product around the app's frames, as far as an app can act on it. @errors FrameRefusal, which the app receives */
export interface ProductSurface {
  readonly notify: Notify;
  /** -> whether the agent confirmed */
  confirm(requester: AppInstanceFrame, question: Confirmation): Promise<boolean>;
  openDialog(spec: DialogSpec, kind: DialogKind): AppInstanceFrame | Promise<AppInstanceFrame>;
  insertText(text: string, at: TextPosition): void | Promise<void>;
  changeElement(element: ComposerElement, change: ElementChange): void | Promise<void>;
  click(element: ComposerElement): void | Promise<void>;
  openConversation(id: string): void | Promise<void>;
}

type Action = (options: unknown, instance: AppInstanceFrame) => unknown;

/** Maximum size of a dialog's title and data. @units characters of JSON */
const DATA_CHARACTERS = 256 * 1024;

const done = (message: string) => ({ message });

/** @assumed at the cursor, unless `position` is start or end, or `replace` is true */
const textPositionOf = ({ replace, position }: Readonly<Record<string, unknown>>): TextPosition =>
  replace === true ? "all" : position === "start" || position === "end" ? position : "cursor";

/** @errors FrameRefusal for another element */
const elementIn = (options: unknown, action: string): ComposerElement => {
  const id = textMember(options, "id");
  const element = COMPOSER_ELEMENTS.find((one) => one === id);
  if (!element)
    throw new FrameRefusal(
      `${action}: '${id}' is not on this page; elements here are ${COMPOSER_ELEMENTS.join(", ")}.`,
    );
  return element;
};

/**
 * Actions of `client.interface.trigger`, one row per action.
 * @assumed `showConfirm` resolves to `{success, message}`, where the message is the label that was chosen; closing the dialog
 * cancels. The elements are editor, send, note, resolve and assign.
 */
export const createClientActions = (surface: ProductSurface) => {
  const changeElement =
    (action: string, change: ElementChange): Action =>
    async (options) => {
      await surface.changeElement(elementIn(options, action), change);
      return done(`${action} is done.`);
    };
  const open =
    (kind: DialogKind): Action =>
    async (options, parent) => {
      const template = textMember(options, "template");
      const { data } = membersOf(options);
      if (template === "") throw new FrameRefusal("Give the page to show, as { title: '…', template: 'page.html' }.");
      if (JSON.stringify(data ?? null).length > DATA_CHARACTERS) throw new FrameRefusal("The data is too large.", 413);
      const { location, module } = parent.spec;
      const title = textMember(options, "title", "Dialog");
      const spec = { url: template, title, location: kind, module: module || location, parent, data };
      const { id } = await surface.openDialog(spec, kind);
      return { ...done("The dialog is open."), instanceId: id };
    };

  const actions = new Map<string, Action>([
    [
      "showNotify",
      (options) => {
        const given = textMember(options, "type", "info");
        const kind = NOTICE_KINDS.find((one) => one === given);
        if (!kind) throw new FrameRefusal(`showNotify: type is one of ${NOTICE_KINDS.join(", ")}.`);
        surface.notify(kind, textMember(options, "title"), textMember(options, "message"));
        return done("The notification is shown.");
      },
    ],
    ["showModal", open("modal")],
    ["showDialog", open("dialog")],
    [
      "showConfirm",
      async (options, parent) => {
        const saveLabel = textMember(options, "saveLabel", "OK");
        const cancelLabel = textMember(options, "cancelLabel", "Cancel");
        const question = {
          title: textMember(options, "title", "Please confirm"),
          message: textMember(options, "message"),
        };
        const success = await surface.confirm(parent, { ...question, saveLabel, cancelLabel });
        return { success, message: success ? saveLabel : cancelLabel };
      },
    ],
    [
      "setValue",
      async (options) => {
        if (textMember(options, "id") !== "editor") throw new FrameRefusal("setValue: the element here is editor.");
        const members = membersOf(options);
        const { value, text = value } = members;
        if (typeof text !== "string")
          throw new FrameRefusal("setValue: give the text, as { id: 'editor', text: '…' }.");
        if (text.length > EDITOR_TEXT_MAX)
          throw new FrameRefusal(`setValue: the editor takes at most ${EDITOR_TEXT_MAX} characters.`);
        await surface.insertText(text, textPositionOf(members));
        return done("The text is in the editor.");
      },
    ],
    [
      "click",
      async (options) => {
        if (textMember(options, "id") === "conversation") {
          await surface.openConversation(textMember(options, "value"));
          return done("The conversation is opened.");
        }
        await surface.click(elementIn(options, "click"));
        return done("click is done.");
      },
    ],
    ["hide", changeElement("hide", "hide")],
    ["hideElement", changeElement("hideElement", "hide")],
    ["show", changeElement("show", "show")],
    ["showElement", changeElement("showElement", "show")],
    ["enable", changeElement("enable", "enable")],
    ["enableElement", changeElement("enableElement", "enable")],
    ["disable", changeElement("disable", "disable")],
    ["disableElement", changeElement("disableElement", "disable")],
  ]);

  return async (action: string, options: unknown, instance: AppInstanceFrame): Promise<unknown> => {
    const act = actions.get(action);
    if (!act)
      throw new FrameRefusal(
        `client.interface.trigger: '${action}' is not known here; known are ${[...actions.keys()].join(", ")}.`,
        404,
      );
    return act(options, instance);
  };
};
