import { PASSWORD_LENGTH } from "@parley/contract";
import { html, type Markup } from "../../../http/html.ts";

interface TextField {
  readonly id: string;
  readonly label: string;
  readonly autocomplete: string;
  readonly type?: "text" | "email" | "password";
  readonly hint?: string;
  readonly inputMode?: "numeric" | "text";
  /** Not shown until the script shows it. */
  readonly isHidden?: boolean;
}

/** A labelled field. Its hint and its error are its description. A password can be shown. */
export const textField = ({ id, label, autocomplete, type = "text", hint, inputMode, isHidden }: TextField): Markup =>
  html`<div class="field" ${isHidden ? html`hidden` : ""}>
    <label for="${id}">${label}</label>
    <div class="box">
      <input
        id="${id}"
        name="${id}"
        type="${type}"
        autocomplete="${autocomplete}"
        autocapitalize="none"
        spellcheck="false"
        required
        ${inputMode === undefined ? "" : html`inputmode="${inputMode}"`}
        aria-describedby="${hint === undefined ? "" : `${id}-hint `}${id}-error"
      />
      ${
        type === "password"
          ? html`<button type="button" data-reveal="${id}" aria-label="Show ${label.toLowerCase()}">Show</button>`
          : ""
      }
    </div>
    ${hint === undefined ? "" : html`<p class="hint" id="${id}-hint">${hint}</p>`}
    <p class="error" id="${id}-error"></p>
  </div>`;

/**
 * Tells password managers whose password a form is about, where the agent need not enter the e-mail address. It is not shown; the page's
 * script fills it (`fillUsernames`). Browsers warn of a form with a password and no such field.
 */
export const usernameField: Markup = html`<input
  class="unseen"
  type="email"
  autocomplete="username"
  aria-label="E-mail address"
  readonly
  tabindex="-1"
/>`;

/** The field for a password that is chosen, with its rules. */
export const newPasswordField: Markup = textField({
  id: "new-password",
  label: "New password",
  type: "password",
  autocomplete: "new-password",
  hint: `At least ${PASSWORD_LENGTH.min} characters of any kind. Several words that don’t belong together are easy to remember.`,
});

/** A form that its script sends. Its fields are disabled until the script runs: the browser must not put a password into an address. */
export const scriptedForm = (name: string, content: Markup, isHidden = false): Markup =>
  html`<form method="post" data-form="${name}" novalidate ${isHidden ? html`hidden` : ""}>
    <p class="notice bad" data-problem role="alert" tabindex="-1" hidden></p>
    <fieldset disabled>${content}</fieldset>
  </form>`;
