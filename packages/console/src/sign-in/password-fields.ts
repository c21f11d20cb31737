import type { Session } from "@parley/contract";
import { PASSWORD_MIN } from "./contract-values.ts";
import { h } from "./dom.ts";
import { textField, type Field } from "./form.ts";

/** The field for a password that is chosen, with its rules. */
export const newPasswordField = (missing: string): Field =>
  textField({
    ...{ id: "new-password", label: "New password", type: "password", autocomplete: "new-password", missing },
    hint: `At least ${PASSWORD_MIN} characters of any kind. Several words that don’t belong together are easy to remember.`,
  });

/**
 * Tells password managers whose password a form is about, where the agent need not enter the e-mail address. It is not shown. Browsers warn of a
 * form with a password and no such field.
 */
export const usernameField = (email: string): HTMLInputElement =>
  h("input", {
    ...{ className: "visually-hidden", type: "email", autocomplete: "username", readOnly: true, tabIndex: -1 },
    "aria-label": "E-mail address",
    // A reset of the form keeps it.
    defaultValue: email,
  });

/** The field for the password of the agent, with the agent's name for password managers. An agent without a password needs neither. */
export const ownPasswordField = (
  id: string,
): { readonly field: Field; readonly element: HTMLElement; show(session: Session): void } => {
  const field = textField({
    ...{ id, label: "Current password", type: "password", autocomplete: "current-password" },
    missing: "Enter your current password.",
  });
  const username = usernameField("");
  return {
    field,
    element: h("div", {}, username, field.element),
    show({ email, has_password }) {
      username.defaultValue = email;
      field.element.hidden = !has_password;
    },
  };
};
