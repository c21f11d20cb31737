import type { SignInResult } from "@parley/contract";
import { paragraph } from "./dom.ts";
import { form, pushButton, submitButton, textField } from "./form.ts";
import { completeSignIn } from "./navigation.ts";
import { requestIdentity } from "./request.ts";

const TEXTS = {
  app: {
    text: "Enter the code that your authenticator app shows.",
    label: "Code",
    other: "Use a recovery code",
    inputMode: "numeric",
    autocomplete: "one-time-code",
  },
  recovery: {
    text: "Enter one of the recovery codes that you kept. Each works once.",
    label: "Recovery code",
    other: "Use the authenticator app",
    inputMode: "text",
    autocomplete: "off",
  },
} as const;

/**
 * Adds the form for the second factor to a card.
 * @param restart called when the agent must begin with the first factor again, with the reason or ""; the form is gone then
 */
export const addSecondFactorStep = (card: HTMLElement, challenge: string, restart: (reason: string) => void): void => {
  let kind: keyof typeof TEXTS = "app";
  const lead = paragraph("lead");
  const code = textField({ id: "code", label: "", autocomplete: "one-time-code", missing: "Enter the code." });
  const other = pushButton("", "link", () => choose(kind === "app" ? "recovery" : "app"));
  const leave = (reason: string): void => {
    element.remove();
    restart(reason);
  };
  const { element, clear } = form({
    fields: [code],
    content: [
      lead,
      code.element,
      submitButton("Continue"),
      paragraph(
        "after links",
        other,
        pushButton("Start again", "link", () => leave("")),
      ),
    ],
    async send() {
      const body = { challenge, code: code.input.value };
      completeSignIn(await requestIdentity<SignInResult>("POST", "sign-in/second-factor", body));
    },
    fieldOf: ({ status }) => status === "WRONG_CODE" && code,
    refused({ status }) {
      if (status === "LINK_NOT_VALID") leave("The time for the second factor is over. Sign in again.");
      return status === "LINK_NOT_VALID";
    },
  });
  const choose = (next: keyof typeof TEXTS): void => {
    kind = next;
    clear();
    const { text, label, inputMode, autocomplete, ...texts } = TEXTS[kind];
    lead.textContent = text;
    code.label.textContent = label;
    other.textContent = texts.other;
    Object.assign(code.input, { inputMode, autocomplete });
    code.input.focus();
  };
  card.append(element);
  choose("app");
};
