import type { PayloadFault } from "@parley/contract";
import { element } from "../../pages/browser/element.ts";

/** Start and end offsets of a line in the text. @units line: from 1 */
const spanOf = (text: string, line: number): { readonly start: number; readonly end: number } => {
  const lines = text.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  return { start, end: start + (lines[line - 1]?.length ?? 0) };
};

/** Payload field with its error message. */
export const payloadEditor = (form: HTMLElement) => {
  const field = element<HTMLElement>(form, "[data-field]");
  const area = element<HTMLTextAreaElement>(field, "textarea");
  const error = element<HTMLElement>(field, ".error");
  const source = element<HTMLElement>(field, "[data-part=source]");

  const accept = () => {
    field.classList.remove("wrong");
    area.removeAttribute("aria-invalid");
    error.textContent = "";
  };
  const refuse = (message: string) => {
    field.classList.add("wrong");
    area.setAttribute("aria-invalid", "true");
    error.textContent = message;
  };
  area.addEventListener("input", accept);

  return {
    text: () => area.value,
    source: () => source.textContent,
    load(text: string, from: string) {
      accept();
      area.value = text;
      area.scrollTop = 0;
      source.textContent = from;
    },
    accept,
    refuse,
    /** Shows an error at its position: the line is selected. */
    point({ message, line, column }: PayloadFault) {
      refuse(`Line ${line}, column ${column}: ${message}`);
      const { start, end } = spanOf(area.value, line);
      area.focus();
      area.setSelectionRange(start, end);
    },
  };
};
