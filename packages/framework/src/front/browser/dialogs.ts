import { FrameRefusal, type FrameSpec, type AppInstanceFrame, type AppFrames } from "./instances.ts";

let count = 0;

/** Maximum number of open dialogs; an app that opens more has a defect. */
const OPEN_DIALOGS_MAX = 8;
const TITLE_CHARACTERS = 200;
const MESSAGE_CHARACTERS = 4_000;

/**
 * -> a function that returns the focus to the element that has it now. A click in an app's frame may reach the app before this page learns that
 * the frame has the focus: if no element has the focus, the function focuses the frame of the app that asked.
 */
export const rememberFocus = (instances: AppFrames, requester: AppInstanceFrame) => {
  const { activeElement } = document;
  const focusedBefore =
    activeElement instanceof HTMLElement && activeElement !== document.body ? activeElement : requester.frame;
  return () => {
    if (!focusedBefore.isConnected) return;
    focusedBefore.focus();
    instances
      .all()
      .find(({ frame }) => frame === focusedBefore)
      ?.send({ t: "focus" });
  };
};

/** @errors Refusal if too many dialogs are open */
const dialogWith = (title: string, kind: string) => {
  if (document.querySelectorAll("dialog[open]").length >= OPEN_DIALOGS_MAX)
    throw new FrameRefusal(`${OPEN_DIALOGS_MAX} dialogs are open: one must be closed first.`, 429);
  const dialog = document.createElement("dialog");
  dialog.className = `card ${kind}`;
  const head = document.createElement("h2");
  head.id = `dialog-${(count += 1)}`;
  head.textContent = title.slice(0, TITLE_CHARACTERS);
  dialog.setAttribute("aria-labelledby", head.id);
  return { dialog, head };
};

/** Returns the focus to the dialog when a frame behind it takes the focus while the dialog is open; keys reach the focused document only. */
const holdFocus = (dialog: HTMLDialogElement) => {
  const hold = () => {
    const top = [...document.querySelectorAll("dialog[open]")].at(-1);
    if (top === dialog && !dialog.contains(document.activeElement)) dialog.querySelector("button")?.focus();
  };
  // The frame that takes the focus is the active element only after the event.
  const afterBlur = () => void setTimeout(hold);
  addEventListener("blur", afterBlur);
  dialog.addEventListener("close", () => removeEventListener("blur", afterBlur));
};

const button = (label: string, className: string, press: () => void) => {
  const element = document.createElement("button");
  element.type = "button";
  element.className = className;
  element.textContent = label;
  element.addEventListener("click", press);
  return element;
};

/** Opens a page of the app in a dialog. The browser restores the focus when the dialog is closed. */
export const openDialog = (
  instances: AppFrames,
  spec: Omit<FrameSpec, "close"> & { readonly parent: AppInstanceFrame },
  kind: "modal" | "dialog",
): AppInstanceFrame => {
  const restoreFocus = rememberFocus(instances, spec.parent);
  const { dialog, head } = dialogWith(spec.title, kind);
  const bar = document.createElement("div");
  bar.className = "bar";
  const closeButton = button("✕", "plain", () => dialog.close());
  closeButton.setAttribute("aria-label", `Close ${spec.title}`);
  bar.append(head, closeButton);
  dialog.append(bar);
  document.body.append(dialog);
  let instance: AppInstanceFrame;
  try {
    instance = instances.mount({ ...spec, close: () => dialog.close() }, dialog);
  } catch (error) {
    dialog.remove();
    throw error;
  }
  dialog.addEventListener("close", () => {
    instance.activate(false);
    instance.end();
    dialog.remove();
    restoreFocus();
  });
  dialog.showModal();
  holdFocus(dialog);
  instance.activate(true);
  return instance;
};

/** A question to the agent. */
export interface Confirmation {
  readonly title: string;
  readonly message: string;
  readonly saveLabel: string;
  readonly cancelLabel: string;
}

/** Asks the agent to confirm. -> whether the agent confirmed */
export const confirm = (
  instances: AppFrames,
  requester: AppInstanceFrame,
  { title, message, saveLabel, cancelLabel }: Confirmation,
): Promise<boolean> =>
  new Promise((resolve) => {
    const restoreFocus = rememberFocus(instances, requester);
    const { dialog, head } = dialogWith(title, "confirm");
    const text = document.createElement("p");
    text.id = `${head.id}-says`;
    text.textContent = message.slice(0, MESSAGE_CHARACTERS);
    dialog.setAttribute("aria-describedby", text.id);
    const actions = document.createElement("div");
    actions.className = "buttons";
    actions.append(
      button(cancelLabel, "minor", () => dialog.close()),
      button(saveLabel, "main", () => dialog.close("save")),
    );
    dialog.append(head, text, actions);
    dialog.addEventListener("close", () => {
      dialog.remove();
      restoreFocus();
      resolve(dialog.returnValue === "save");
    });
    document.body.append(dialog);
    dialog.showModal();
    holdFocus(dialog);
  });
