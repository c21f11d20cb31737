import { confirm, openDialog } from "./dialogs.ts";
import { FrameRefusal, type AppFrame, type AppFrames } from "./instances.ts";
import { membersOf, textMember, type InstanceAct } from "./messages.ts";
import { NOTICE_KINDS, type Notify } from "./notices.ts";

type PageControl = HTMLTextAreaElement | HTMLButtonElement | HTMLSelectElement | HTMLInputElement;

interface ActionsDeps {
  readonly instances: AppFrames;
  readonly notify: Notify;
  /** Elements that an app can hide, show, enable, disable or click, by the names that apps use. */
  readonly elements: ReadonlyMap<string, PageControl>;
  readonly editor: HTMLTextAreaElement;
  readonly openConversation: (id: string) => void;
}

type Action = (options: unknown, instance: AppFrame) => unknown;

/** Maximum size of a dialog's title and data. @units characters of JSON */
const DATA_CHARACTERS = 256 * 1024;
/** Maximum length of an editor's text, as the service limits messages. */
const TEXT_CHARACTERS = 65_536;

const done = (message: string) => ({ message });

/** Inserts a text into the editor. @assumed at the cursor, unless `position` is start or end, or `replace` is true */
const insertText = (editor: HTMLTextAreaElement, options: unknown) => {
  const { value, text = value, replace, position } = membersOf(options);
  if (typeof text !== "string") throw new FrameRefusal("setValue: give the text, as { id: 'editor', text: '…' }.");
  const from =
    replace === true || position === "start" ? 0 : position === "end" ? editor.value.length : editor.selectionStart;
  const to = replace === true ? editor.value.length : position === undefined ? editor.selectionEnd : from;
  if (editor.value.length - (to - from) + text.length > TEXT_CHARACTERS)
    throw new FrameRefusal(`setValue: the editor takes at most ${TEXT_CHARACTERS} characters.`);
  editor.setRangeText(text, from, to, "end");
  editor.dispatchEvent(new Event("input", { bubbles: true }));
  return done("The text is in the editor.");
};

/**
 * Actions of `client.interface.trigger`, one row per action.
 * @assumed `showConfirm` resolves to `{success, message}`, where the message is the label that was chosen; closing the dialog
 * cancels. The elements are editor, send, note, resolve and assign.
 */
export const createClientActions = (deps: ActionsDeps) => {
  const { instances, notify, elements, editor } = deps;

  const named = (options: unknown, action: string): PageControl => {
    const id = textMember(options, "id");
    const element = elements.get(id);
    if (!element)
      throw new FrameRefusal(
        `${action}: '${id}' is not on this page; elements here are ${[...elements.keys()].join(", ")}.`,
      );
    return element;
  };
  const changeElement =
    (action: string, change: (element: PageControl) => void): Action =>
    (options) => {
      change(named(options, action));
      return done(`${action} is done.`);
    };
  const open =
    (kind: "modal" | "dialog"): Action =>
    (options, parent) => {
      const template = textMember(options, "template");
      const { data } = membersOf(options);
      if (template === "") throw new FrameRefusal("Give the page to show, as { title: '…', template: 'page.html' }.");
      if (JSON.stringify(data ?? null).length > DATA_CHARACTERS) throw new FrameRefusal("The data is too large.", 413);
      const { location, module } = parent.spec;
      const title = textMember(options, "title", "Dialog");
      const { id } = openDialog(
        instances,
        { url: template, title, location: kind, module: module || location, parent, data },
        kind,
      );
      return { ...done("The dialog is open."), instanceId: id };
    };
  const hide = (action: string) => changeElement(action, (element) => element.classList.add("gone"));
  const show = (action: string) => changeElement(action, (element) => element.classList.remove("gone"));
  const enable = (action: string) => changeElement(action, (element) => void (element.disabled = false));
  const disable = (action: string) => changeElement(action, (element) => void (element.disabled = true));

  const actions = new Map<string, Action>([
    [
      "showNotify",
      (options) => {
        const kind = textMember(options, "type", "info");
        if (!NOTICE_KINDS.includes(kind))
          throw new FrameRefusal(`showNotify: type is one of ${NOTICE_KINDS.join(", ")}.`);
        notify(kind, textMember(options, "title"), textMember(options, "message"));
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
        const success = await confirm(instances, parent, { ...question, saveLabel, cancelLabel });
        return { success, message: success ? saveLabel : cancelLabel };
      },
    ],
    [
      "setValue",
      (options) => {
        if (textMember(options, "id") !== "editor") throw new FrameRefusal("setValue: the element here is editor.");
        return insertText(editor, options);
      },
    ],
    [
      "click",
      (options) => {
        const id = textMember(options, "id");
        if (id === "conversation") {
          deps.openConversation(textMember(options, "value"));
          return done("The conversation is opened.");
        }
        const element = named(options, "click");
        if (element.disabled || element.matches(":disabled")) throw new FrameRefusal(`click: '${id}' is disabled.`);
        element.click();
        return done("click is done.");
      },
    ],
    ["hide", hide("hide")],
    ["hideElement", hide("hideElement")],
    ["show", show("show")],
    ["showElement", show("showElement")],
    ["enable", enable("enable")],
    ["enableElement", enable("enableElement")],
    ["disable", disable("disable")],
    ["disableElement", disable("disableElement")],
  ]);

  return async (action: string, options: unknown, instance: AppFrame): Promise<unknown> => {
    const act = actions.get(action);
    if (!act)
      throw new FrameRefusal(
        `client.interface.trigger: '${action}' is not known here; known are ${[...actions.keys()].join(", ")}.`,
        404,
      );
    return act(options, instance);
  };
};

/** @units pixels @assumed the limits */
const HEIGHT_MIN = 40;
const HEIGHT_MAX = 2_000;

const described = ({ id, spec: { location, parent } }: AppFrame) => ({
  instanceId: id,
  location,
  ...(parent ? { parentId: parent.id } : {}),
});

const heightIn = (options: unknown): number => {
  const height = Number.parseFloat(textMember(options, "height"));
  if (!Number.isFinite(height)) throw new FrameRefusal("resize: give the height in pixels, as { height: '500px' }.");
  return Math.min(Math.max(height, HEIGHT_MIN), HEIGHT_MAX);
};

type Act = (instance: AppFrame, options: unknown) => unknown;

/** Methods of `client.instance`, one row per method. @assumed a parent's message without a receiver is sent to all instances that it has opened */
const actsOf = (instances: AppFrames): Readonly<Record<InstanceAct, Act>> => ({
  resize: ({ frame }, options) => {
    const height = heightIn(options);
    frame.style.height = `${height}px`;
    frame.style.flex = "none";
    frame.style.minHeight = "0";
    return { height: `${height}px` };
  },
  close: ({ spec: { close, location } }) => {
    if (!close) throw new FrameRefusal(`close: ${location} is always open.`);
    // Deferred, so that the answer is sent before the frame's port closes.
    setTimeout(close);
    return {};
  },
  context: (instance) => ({
    ...described(instance),
    ...(instance.spec.data === undefined ? {} : { data: instance.spec.data, modalData: instance.spec.data }),
  }),
  get: (instance) =>
    instances
      .all()
      .filter((one) => one !== instance)
      .map(described),
  send: (sender, options) => {
    const { message, receiver } = membersOf(options);
    const family = instances.all().filter(({ spec }) => spec.parent === sender);
    const named: readonly unknown[] = receiver === undefined ? [] : [receiver].flat();
    const to =
      named.length > 0
        ? instances.all().filter(({ id }) => named.includes(id) && id !== sender.id)
        : [...(sender.spec.parent ? [sender.spec.parent] : []), ...family];
    if (to.length === 0) throw new FrameRefusal("send: no instance is there to receive it.", 404);
    for (const instance of to) instance.send({ t: "message", message, sender: sender.id });
    return {};
  },
});

export const createInstanceActions = (instances: AppFrames) => {
  const acts = actsOf(instances);
  return async (act: string, options: unknown, instance: AppFrame): Promise<unknown> => {
    if (!Object.hasOwn(acts, act)) throw new FrameRefusal(`client.instance.${act} is not known here.`, 404);
    return acts[act as InstanceAct](instance, options);
  };
};
