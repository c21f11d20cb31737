import type { SignInResult } from "@parley/contract";
import { completeSignIn } from "./complete-sign-in.ts";
import { requestIdentity } from "./identity-request.ts";
import { partOf } from "./page-elements.ts";
import { pageForm } from "./page-form.ts";

const TEXTS = {
  app: {
    text: "Enter the code that your authenticator app shows.",
    label: "Code",
    other: "Use a recovery code",
    inputMode: "numeric",
  },
  recovery: {
    text: "Enter one of the recovery codes that you kept. Each works once.",
    label: "Recovery code",
    other: "Use the authenticator app",
    inputMode: "text",
  },
} as const;

/**
 * The form for the second factor.
 * @param restart called when the agent must begin with the first factor again, with the reason, or undefined
 * @returns shows the form for a challenge
 */
export const secondFactorStep = (restart: (reason: string) => void): ((challenge: string) => void) => {
  let challenge = "";
  let kind: keyof typeof TEXTS = "app";
  const { form, input, clear } = pageForm("second-factor", {
    required: { code: "Enter the code." },
    async send({ code = "" }) {
      completeSignIn(
        await requestIdentity<SignInResult>("POST", "/identity/sign-in/second-factor", { challenge, code }),
      );
    },
    fieldOf: ({ status }) => (status === "WRONG_CODE" ? "code" : undefined),
    refused({ status }) {
      if (status === "LINK_NOT_VALID") restart("The time for the second factor is over. Sign in again.");
      return status === "LINK_NOT_VALID";
    },
  });
  const code = input("code");
  const setKind = (next: keyof typeof TEXTS) => {
    kind = next;
    const { text, label, other, inputMode } = TEXTS[kind];
    partOf("[data-code-text]", form).textContent = text;
    partOf("label[for=code]", form).textContent = label;
    partOf("[data-recovery]", form).textContent = other;
    code.inputMode = inputMode;
    code.autocomplete = kind === "app" ? "one-time-code" : "off";
  };
  const choose = (next: keyof typeof TEXTS) => {
    clear();
    setKind(next);
    code.focus();
  };
  partOf("[data-recovery]", form).addEventListener("click", () => choose(kind === "app" ? "recovery" : "app"));
  partOf("[data-restart]", form).addEventListener("click", () => restart(""));
  return (next) => {
    challenge = next;
    form.hidden = false;
    choose("app");
  };
};
