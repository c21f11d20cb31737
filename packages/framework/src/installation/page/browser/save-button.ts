import type { InstallSave } from "@parley/contract";
import type { FormField, SentField } from "./field.ts";
import { NOT_SAVED_TITLE, type SaveNotice } from "./notice.ts";
import type { InstallServer } from "./server.ts";
import { element } from "../../../pages/browser/element.ts";

export const SAVE_FAILED_MESSAGE = "Validation failed.";

interface SaveDeps {
  readonly fields: readonly FormField[];
  readonly notice: SaveNotice;
  readonly server: InstallServer;
}

/** What the host is given: no value for a field whose secure value it has. */
export const formValues = (
  sent: readonly SentField[],
): Required<Pick<InstallSave, "values" | "attributes" | "removed">> => ({
  values: Object.fromEntries(sent.flatMap(({ key, value }) => (value === undefined ? [] : [[key, value]]))),
  attributes: Object.fromEntries(sent.flatMap(({ key, attributes }) => (attributes ? [[key, attributes]] : []))),
  removed: sent.flatMap(({ key, isRemoved }) => (isRemoved ? [key] : [])),
});

/** Asks every field, then the server, and says how it went; true when the values are kept. */
export const saveForm = async ({ fields, notice, server }: SaveDeps): Promise<boolean> => {
  const wrong = () => fields.filter((field) => field.error() !== undefined);
  await Promise.all(fields.map((field) => field.settle()));
  for (const field of fields) field.recheck();
  if (wrong().length > 0) {
    notice.wrong(SAVE_FAILED_MESSAGE, wrong());
    return false;
  }
  const sent = fields.map((field) => field.send());
  const answer = await server.save(formValues(sent));
  if (answer.ok) {
    for (const one of sent) one.saved();
    notice.saved({
      saved: sent.flatMap(({ label, isChanged }) => (isChanged ? [label] : [])),
      later: fields.flatMap((field) => (field.isChanged() ? [field.label()] : [])),
    });
    return true;
  }
  for (const field of fields) {
    const message = Object.hasOwn(answer.errors, field.key) ? answer.errors[field.key] : undefined;
    if (message !== undefined) field.fail(message);
  }
  if (wrong().length > 0) notice.wrong(answer.message, wrong());
  else notice.failed(NOT_SAVED_TITLE, answer.message);
  return false;
};

/** Says beside the button that something is changed, and asks before such a page is left. */
export interface UnsavedWarning {
  /** Looks again. */
  look(): void;
  /** The page is about to be left on purpose. */
  forget(): void;
}

/** `isChanged`: whether anything that a person changed is not saved. */
export const createUnsavedWarning = (place: HTMLElement, isChanged: () => boolean): UnsavedWarning => {
  let isForgotten = false;
  window.addEventListener("beforeunload", (event) => {
    if (!isForgotten && isChanged()) event.preventDefault();
  });
  return {
    look: () => void (place.textContent = isChanged() ? "Unsaved changes" : ""),
    forget: () => void (isForgotten = true),
  };
};

interface ButtonDeps {
  /** Parameters and button. */
  readonly form: HTMLElement;
  readonly notice: SaveNotice;
  readonly unsaved: UnsavedWarning;
  /** -> whether the values are kept. @errors one sentence for the person */
  readonly save: () => Promise<boolean>;
}

/** A save at a time, told by the button without taking the focus from it. */
export const wireSaveButton = ({ form, notice, unsaved, save }: ButtonDeps): void => {
  const button = element<HTMLButtonElement>(form, "button[type=submit]");
  let saving = false;
  const busy = (is: boolean, label: string | undefined) => {
    saving = is;
    button.setAttribute("aria-disabled", String(is));
    button.classList.toggle("busy", is);
    button.textContent = label ?? "";
  };
  const submit = async () => {
    if (saving) return;
    notice.hide();
    busy(true, button.dataset["busy"]);
    let label = button.dataset["idle"];
    try {
      if (await save()) label = button.dataset["idle"] = "Save changes";
    } catch (error) {
      notice.failed(NOT_SAVED_TITLE, error instanceof Error ? error.message : String(error));
    } finally {
      unsaved.look();
      busy(false, label);
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void submit();
  });
  // As a browser does it for controls in a form, after it has told of the change.
  form.addEventListener("keydown", ({ key, isComposing, target }) => {
    if (key === "Enter" && !isComposing && target instanceof HTMLInputElement) setTimeout(() => button.click());
  });
};
