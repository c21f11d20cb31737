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
  /** Called when the values are stored. */
  readonly stored: (sent: readonly SentField[]) => void;
}

/** Values for the host, without fields whose secure value it has. */
export const formValues = (
  sent: readonly SentField[],
): Required<Pick<InstallSave, "values" | "attributes" | "removed">> => ({
  values: Object.fromEntries(sent.flatMap(({ key, value }) => (value === undefined ? [] : [[key, value]]))),
  attributes: Object.fromEntries(sent.flatMap(({ key, attributes }) => (attributes ? [[key, attributes]] : []))),
  removed: sent.flatMap(({ key, isRemoved }) => (isRemoved ? [key] : [])),
});

/** Checks every field, then saves on the server and shows the result. -> whether the values are stored */
export const saveForm = async ({ fields, notice, server, stored }: SaveDeps): Promise<boolean> => {
  const wrong = () => fields.filter((field) => field.error() !== undefined);
  const show = (errors: Readonly<Record<string, string>>): void => {
    for (const field of fields) {
      const message = Object.hasOwn(errors, field.key) ? errors[field.key] : undefined;
      if (message !== undefined && field.error() === undefined) field.fail(message);
    }
  };
  await Promise.all(fields.map((field) => field.settle()));
  for (const field of fields) field.recheck();
  const sent = fields.map((field) => field.send());
  if (wrong().length > 0) {
    // Problems that only the server can find are reported together with problems that the page has found.
    const checked = await server.save({ ...formValues(sent), checks_only: true }).catch(() => undefined);
    if (checked?.ok === false) show(checked.errors);
    notice.wrong(SAVE_FAILED_MESSAGE, wrong());
    return false;
  }
  const answer = await server.save(formValues(sent));
  if (answer.ok) {
    for (const one of sent) one.saved();
    stored(sent);
    notice.saved({
      saved: sent.flatMap(({ label, isChanged }) => (isChanged ? [label] : [])),
      later: fields.flatMap((field) => (field.isChanged() ? [field.label()] : [])),
    });
    return true;
  }
  show(answer.errors);
  const isShown = (key: string) => fields.some((field) => field.key === key);
  const elsewhere = Object.entries(answer.errors).flatMap(([key, text]) => (isShown(key) ? [] : [`${key}: ${text}`]));
  if (wrong().length > 0) notice.wrong(answer.message, wrong());
  else notice.failed(NOT_SAVED_TITLE, [answer.message, ...elsewhere].join(" "));
  return false;
};

/** Shows unsaved changes beside the button, and asks for confirmation before the page is left. */
export interface UnsavedWarning {
  /** Updates the display. */
  update(): void;
  /** Called before the page is left on purpose. */
  forget(): void;
}

/** `isChanged`: whether there are unsaved changes by the user. */
export const createUnsavedWarning = (place: HTMLElement, isChanged: () => boolean): UnsavedWarning => {
  let isForgotten = false;
  window.addEventListener("beforeunload", (event) => {
    if (!isForgotten && isChanged()) event.preventDefault();
  });
  return {
    update: () => void (place.textContent = isChanged() ? "Unsaved changes" : ""),
    forget: () => void (isForgotten = true),
  };
};

interface ButtonDeps {
  /** Parameters and button. */
  readonly form: HTMLElement;
  readonly notice: SaveNotice;
  readonly unsaved: UnsavedWarning;
  /** -> whether the values are stored. @errors Error with one sentence for the user */
  readonly save: () => Promise<boolean>;
}

/** Runs one save at a time. The button shows its progress and keeps the focus. */
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
      unsaved.update();
      busy(false, label);
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void submit();
  });
  // Implicit submission, as in browsers for controls in a form, after the change event.
  form.addEventListener("keydown", ({ key, isComposing, target }) => {
    if (key === "Enter" && !isComposing && target instanceof HTMLInputElement) setTimeout(() => button.click());
  });
};
