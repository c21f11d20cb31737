import { SIGN_IN_PATH } from "@parley/contract";
import { html } from "../../../http/html.ts";
import { newPasswordField, scriptedForm, textField, usernameField } from "./fields.ts";
import { noScript, pageShell } from "./shell.ts";

/** @shape account: the account that the host names */
interface SignInView {
  readonly account: string | undefined;
}

const accountField = (account: string | undefined) =>
  account === undefined
    ? textField({
        id: "account",
        label: "Account",
        autocomplete: "organization",
        hint: "The name of your company’s account, such as acme.",
      })
    : html`<input type="hidden" id="account" value="${account}" />`;

const toAccount = (account: string | undefined) =>
  account === undefined ? "" : html`<p class="lead">Account <strong>${account}</strong></p>`;

const emailField = textField({ id: "email", label: "E-mail address", type: "email", autocomplete: "username" });

/** Shown after the first factor, if the agent has a second factor. */
const secondFactorForm = scriptedForm(
  "second-factor",
  html`<p class="lead" data-code-text></p>
    ${textField({ id: "code", label: "Code", autocomplete: "one-time-code", inputMode: "numeric" })}
    <button class="main" type="submit">Continue</button>
    <p class="after links">
      <button type="button" class="link" data-recovery>Use a recovery code</button>
      <button type="button" class="link" data-restart>Start again</button>
    </p>`,
  true,
);

/** The page where agents sign in. */
export const signInView = ({ account }: SignInView): string =>
  pageShell({
    title: "Sign in",
    script: "sign-in",
    main: html`<div class="card">
      <h1 tabindex="-1">Sign in</h1>
      ${toAccount(account)}
      <p class="notice good" data-notice="signed-out" role="status" hidden>You are signed out.</p>
      <p class="notice warn" data-notice="ended" role="status" hidden>Your session has ended. Sign in again.</p>
      ${noScript}
      ${scriptedForm(
        "password",
        html`${accountField(account)} ${emailField}
          ${textField({ id: "password", label: "Password", type: "password", autocomplete: "current-password" })}
          <button class="main" type="submit">Sign in</button>
          <p class="after"><a href="${SIGN_IN_PATH}/forgot" data-forgot>Forgot password?</a></p>`,
      )}
      <div data-providers hidden>
        <p class="or">or</p>
        <ul class="providers"></ul>
      </div>
      ${secondFactorForm}
    </div>`,
  });

/** The page that asks for a link for a new password. */
export const forgotView = ({ account }: SignInView): string =>
  pageShell({
    title: "Forgot password",
    script: "forgot",
    main: html`<div class="card">
      <h1 tabindex="-1">Forgot password</h1>
      ${toAccount(account)} ${noScript}
      ${scriptedForm(
        "forgot",
        html`<p class="lead">Enter your e-mail address. A link for a new password is sent to it.</p>
          ${accountField(account)} ${emailField}
          <button class="main" type="submit">Send the link</button>`,
        true,
      )}
      <div data-sent tabindex="-1" hidden>
        <p class="notice good">
          If the address belongs to an agent of the account, a link for a new password was sent to it. The link is valid
          for an hour.
        </p>
        <p class="lead">
          No message after a few minutes? Look into the folder for spam, or ask an admin of the account.
        </p>
      </div>
      <div data-no-mail hidden>
        <p class="notice warn">
          This service does not send e-mail. Ask an admin of your account: an admin can make a link for a new password.
        </p>
      </div>
      <p class="after"><a href="${SIGN_IN_PATH}" data-back>Back to the sign-in</a></p>
    </div>`,
  });

/** The page where an agent chooses a password, by a link whose secret is in the fragment. */
export const passwordView = (): string =>
  pageShell({
    title: "Choose a password",
    script: "password",
    main: html`<div class="card">
      <h1 tabindex="-1">Choose a password</h1>
      ${noScript}
      <p class="lead" data-loading role="status">Checking the link…</p>
      <div data-invalid hidden>
        <p class="notice bad" data-invalid-text role="alert"></p>
        <p class="lead">
          A link works once, and an invitation for 7 days. Ask an admin of your account for a new link, or
          <a href="${SIGN_IN_PATH}/forgot">ask for a new password by e-mail</a>.
        </p>
        <p class="after"><a href="${SIGN_IN_PATH}">Go to the sign-in</a></p>
      </div>
      ${scriptedForm(
        "choose",
        html`<p class="lead" data-for></p>
          ${usernameField} ${newPasswordField}
          <button class="main" type="submit">Save and sign in</button>`,
        true,
      )}
      ${secondFactorForm}
    </div>`,
  });

/**
 * The page of a link that signs in. It is the same for every secret, and only its form uses the link: programs that preview links request
 * them too.
 */
export const linkView = ({ secret, next }: { readonly secret: string; readonly next: string | undefined }): string =>
  pageShell({
    title: "Sign in",
    main: html`<div class="card">
      <h1>Sign in</h1>
      <p class="lead">You opened a link for signing in. It works once.</p>
      <form method="post" action="${SIGN_IN_PATH}/link">
        <input type="hidden" name="secret" value="${secret}" />
        ${next === undefined ? "" : html`<input type="hidden" name="next" value="${next}" />`}
        <button class="main" type="submit">Sign in</button>
      </form>
      <p class="hint">Did somebody else send you this link unasked? Then don’t use it.</p>
    </div>`,
  });
