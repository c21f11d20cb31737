import { h, notice, showText } from "./dom.ts";
import { requestErrorOf, type IdentityRequestError } from "./request.ts";

interface TextFieldOptions {
  readonly id: string;
  readonly label: string;
  readonly autocomplete: AutoFill;
  readonly type?: "text" | "email" | "password";
  readonly hint?: string;
  readonly inputMode?: "numeric";
  /** Shown when the field is left empty. */
  readonly missing: string;
}

export interface Field {
  readonly element: HTMLElement;
  readonly label: HTMLLabelElement;
  readonly input: HTMLInputElement;
  readonly missing: string;
  setError(text: string): void;
}

/** A button that shows and hides a password. */
const revealButton = (input: HTMLInputElement, label: string): HTMLElement => {
  const name = label.toLowerCase();
  const button = h("button", { type: "button" });
  const show = (isShown: boolean): void => {
    input.type = isShown ? "text" : "password";
    button.textContent = isShown ? "Hide" : "Show";
    button.setAttribute("aria-label", `${isShown ? "Hide" : "Show"} ${name}`);
  };
  show(false);
  button.addEventListener("click", () => show(input.type === "password"));
  return button;
};

/** A labelled field. Its hint and its error are its description. A password can be shown. */
export const textField = (options: TextFieldOptions): Field => {
  const { id, label: text, autocomplete, type = "text", hint, inputMode = "", missing } = options;
  const label = h("label", { htmlFor: id }, text);
  const error = h("p", { className: "error", id: `${id}-error` });
  const input = h("input", {
    ...{ id, type, autocomplete, autocapitalize: "none", spellcheck: false, required: true, inputMode },
    "aria-describedby": `${hint === undefined ? "" : `${id}-hint `}${error.id}`,
  });
  const setError = (problem: string): void => {
    error.textContent = problem;
    if (problem === "") input.removeAttribute("aria-invalid");
    else input.setAttribute("aria-invalid", "true");
  };
  input.addEventListener("input", () => setError(""));
  const element = h(
    "div",
    { className: "field" },
    label,
    h("div", { className: "box" }, input, type === "password" && revealButton(input, text)),
    hint !== undefined && h("p", { className: "hint", id: `${id}-hint` }, hint),
    error,
  );
  return { element, label, input, missing, setError };
};

export const emailField = (): Field =>
  textField({
    ...{ id: "email", label: "E-mail address", type: "email", autocomplete: "username" },
    missing: "Enter your e-mail address.",
  });

interface FormOptions {
  /** In their order. Fields that are not in the form, or are hidden, need no value. */
  readonly fields: readonly Field[];
  /** With the fields and a button that submits. */
  readonly content: readonly (HTMLElement | false)[];
  /** @errors IdentityRequestError, which is shown */
  readonly send: () => Promise<void>;
  /** -> the field that a refusal is about; without a field the refusal is shown above the form */
  readonly fieldOf?: (error: IdentityRequestError) => Field | false | undefined;
  /** Called for a refusal. -> true if it is dealt with */
  readonly refused?: (error: IdentityRequestError) => boolean;
}

interface PageForm {
  readonly element: HTMLFormElement;
  /** Removes what was entered, and problems. */
  readonly clear: () => void;
  /** Shows a problem above the form, and moves the focus there. */
  readonly showProblem: (text: string) => void;
}

/** A form that checks that its fields have values, sends them once at a time, and shows refusals where they belong. */
export const form = ({ fields, content, send, fieldOf, refused }: FormOptions): PageForm => {
  const problem = notice("bad");
  const element = h("form", { method: "post", noValidate: true }, problem, ...content);
  const clearErrors = (): void => {
    showText(problem, "");
    for (const field of fields) field.setError("");
  };
  const showProblem = (text: string, field?: Field | false): void => {
    if (field) field.setError(text);
    else showText(problem, text);
    (field ? field.input : problem).focus();
  };
  let isBusy = false;
  const setBusy = (busy: boolean): void => {
    isBusy = busy;
    element.setAttribute("aria-busy", String(busy));
    element.querySelector("[type=submit]")?.classList.toggle("busy", busy);
  };
  const submit = async (): Promise<void> => {
    if (isBusy) return;
    clearErrors();
    const empty = fields.filter(({ input }) => input.form && !input.closest("[hidden]") && input.value.trim() === "");
    for (const field of empty) field.setError(field.missing);
    if (empty[0]) return empty[0].input.focus();
    setBusy(true);
    try {
      await send();
    } catch (thrown) {
      const error = requestErrorOf(thrown);
      if (!refused?.(error)) showProblem(error.message, fieldOf?.(error));
    } finally {
      setBusy(false);
    }
  };
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    // Password managers recognise a password by the type of its field.
    for (const { input } of fields) if (input.autocomplete.endsWith("-password")) input.type = "password";
    void submit();
  });
  return {
    element,
    showProblem,
    clear() {
      clearErrors();
      element.reset();
    },
  };
};

export const submitButton = (text: string, className = "main"): HTMLButtonElement =>
  h("button", { type: "submit", className }, text);

export const pushButton = (text: string, className: string, press: () => void): HTMLButtonElement =>
  h("button", { type: "button", className, onclick: press }, text);
