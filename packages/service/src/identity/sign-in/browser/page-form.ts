import { requestErrorOf, type IdentityRequestError } from "./identity-request.ts";
import { partOf, showText } from "./page-elements.ts";

interface PageFormOptions {
  /** Texts for fields that are left empty, by id. Only these fields are mandatory. */
  readonly required: Readonly<Record<string, string>>;
  /** @errors IdentityRequestError, which is shown */
  readonly send: (values: Readonly<Record<string, string>>) => Promise<void>;
  /** -> id of the field that a refusal is about; without a field the refusal is shown above the form */
  readonly fieldOf?: (error: IdentityRequestError) => string | undefined;
  /** Called for a refusal. -> true if it is dealt with */
  readonly refused?: (error: IdentityRequestError) => boolean;
}

/** A form of a page that its script sends. */
interface PageForm {
  readonly form: HTMLFormElement;
  readonly input: (id: string) => HTMLInputElement;
  readonly clear: () => void;
  /** Shows a problem of a field, or without a field of the form, and moves the focus there. */
  readonly showProblem: (text: string, id?: string) => void;
}

/** Takes over a form: checks mandatory fields, sends it once at a time, and shows refusals where they belong. */
export function pageForm(name: string, { required, send, fieldOf, refused }: PageFormOptions): PageForm {
  const form = partOf<HTMLFormElement>(`form[data-form="${name}"]`);
  const problem = partOf("[data-problem]", form);
  const button = partOf<HTMLButtonElement>("button[type=submit]", form);
  const inputs = [...form.querySelectorAll<HTMLInputElement>("input[id]")];
  const input = (id: string) => partOf<HTMLInputElement>(`[id="${id}"]`, form);

  const setError = (field: HTMLInputElement, text: string) => {
    const error = document.getElementById(`${field.id}-error`);
    if (!error) return;
    error.textContent = text;
    if (text === "") field.removeAttribute("aria-invalid");
    else field.setAttribute("aria-invalid", "true");
  };
  const clearErrors = () => {
    showText(problem, "");
    for (const field of inputs) setError(field, "");
  };
  const showProblem = (text: string, id?: string) => {
    if (id === undefined) {
      showText(problem, text);
      problem.focus();
    } else {
      setError(input(id), text);
      input(id).focus();
    }
  };
  const missing = () =>
    inputs.filter(
      (field) => required[field.id] !== undefined && !field.closest("[hidden]") && field.value.trim() === "",
    );

  let isBusy = false;
  const setBusy = (busy: boolean) => {
    isBusy = busy;
    form.setAttribute("aria-busy", String(busy));
    button.classList.toggle("busy", busy);
  };
  const submit = async () => {
    if (isBusy) return;
    clearErrors();
    const empty = missing();
    for (const field of empty) setError(field, required[field.id] ?? "");
    if (empty[0]) return empty[0].focus();
    setBusy(true);
    try {
      await send(Object.fromEntries(inputs.map((field) => [field.id, field.value])));
    } catch (thrown) {
      const error = requestErrorOf(thrown);
      if (!refused?.(error)) showProblem(error.message, fieldOf?.(error));
    } finally {
      setBusy(false);
    }
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void submit();
  });
  for (const field of inputs) field.addEventListener("input", () => setError(field, ""));
  partOf<HTMLFieldSetElement>("fieldset", form).disabled = false;
  return {
    form,
    input,
    showProblem,
    clear() {
      clearErrors();
      form.reset();
    },
  };
}
