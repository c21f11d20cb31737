import { CONSOLE_PATH } from "@parley/contract";
import { html, type Markup } from "../../../http/html.ts";
import { newPasswordField, scriptedForm, textField, usernameField } from "./fields.ts";
import { noScript, pageShell } from "./shell.ts";

const currentPassword = (id: string) =>
  html`${usernameField}
    <div data-needs-password>
      ${textField({ id, label: "Current password", type: "password", autocomplete: "current-password" })}
    </div>`;

const section = (id: string, title: string, content: Markup): Markup =>
  html`<section class="card" aria-labelledby="${id}-title" data-section="${id}">
    <h2 id="${id}-title" tabindex="-1">${title}</h2>
    ${content}
  </section>`;

const fact = (name: string, part: string): Markup =>
  html`<div>
    <dt>${name}</dt>
    <dd data-fact="${part}"></dd>
  </div>`;

const person = html`<div class="card person">
  <div class="title">
    <h1 tabindex="-1" data-fact="name">Profile</h1>
    <button type="button" class="minor" data-sign-out>Sign out</button>
  </div>
  <dl class="facts">
    ${fact("E-mail address", "email")} ${fact("Account", "account")} ${fact("Role", "role")} ${fact("Scope", "scope")}
  </dl>
</div>`;

const password = section(
  "password",
  "Password",
  html`<p class="lead" data-no-password hidden>
      You have no password yet. Choose a password, so that you can sign in without a link. This is possible for 15
      minutes after a sign-in.
    </p>
    <p class="lead" data-has-password hidden>A new password ends your sessions on other devices.</p>
    ${scriptedForm(
      "change-password",
      html`${currentPassword("current-password")} ${newPasswordField}
        <button class="minor" type="submit">Save password</button>`,
    )}
    <p class="notice good" data-password-saved role="status" hidden></p>`,
);

const codeForm = (name: string, { button, id }: { readonly button: Markup; readonly id: string }) =>
  scriptedForm(
    name,
    html`${textField({
      id,
      label: "Code of the app, or a recovery code",
      autocomplete: "one-time-code",
    })}
    ${button}`,
  );

const secondFactor = section(
  "second-factor",
  "Second factor",
  html`<p class="notice good" data-factor-notice role="status" hidden></p>
    <div data-factor="off" hidden>
      <p class="lead">
        Off. With a second factor, signing in also needs a code that an authenticator app on your phone shows.
      </p>
      ${scriptedForm(
        "begin-factor",
        html`${currentPassword("factor-password")}<button class="minor" type="submit">Set up</button>`,
      )}
    </div>
    <div data-factor="pending" hidden>
      <ol class="steps">
        <li>
          <p>Scan this code with an authenticator app, or <a data-factor-uri>open it in an app on this device</a>.</p>
          <img class="qr" data-qr alt="QR code with the secret for the authenticator app" width="200" height="200" />
          <p>Or type this secret into the app:</p>
          <p><code class="secret" data-factor-secret></code></p>
        </li>
        <li>
          <p>Enter the code that the app shows.</p>
          ${scriptedForm(
            "confirm-factor",
            html`${textField({ id: "factor-code", label: "Code", autocomplete: "one-time-code", inputMode: "numeric" })}
              <div class="buttons">
                <button class="main" type="submit">Turn on</button>
                <button class="minor" type="button" data-cancel-factor>Cancel</button>
              </div>`,
          )}
        </li>
      </ol>
    </div>
    <div data-factor="codes" hidden>
      <h3 tabindex="-1" data-codes-title>Recovery codes</h3>
      <p>
        Each of these codes signs you in once without the app. Keep them where you find them without your phone. They
        are shown only now.
      </p>
      <ul class="codes" data-codes></ul>
      <div class="buttons">
        <button type="button" class="minor" data-copy>Copy</button>
        <a class="minor" download="parley-recovery-codes.txt" data-download>Download</a>
        <button type="button" class="minor" data-print>Print</button>
        <button type="button" class="main" data-codes-done>I have kept them</button>
      </div>
      <p class="hint" data-copied role="status"></p>
    </div>
    <div data-factor="on" hidden>
      <p class="lead">On. <span data-codes-left></span></p>
      <details>
        <summary>New recovery codes</summary>
        <p class="lead">The earlier codes become invalid.</p>
        ${codeForm("renew-codes", { id: "renew-code", button: html`<button class="minor" type="submit">Get new codes</button>` })}
      </details>
      <details>
        <summary>Remove the second factor</summary>
        <p class="lead">Signing in then needs the password only.</p>
        ${codeForm("remove-factor", { id: "remove-code", button: html`<button class="minor danger" type="submit">Remove</button>` })}
      </details>
    </div>`,
);

const sessionList = section(
  "sessions",
  "Sessions",
  html`<p class="lead">Where you are signed in. End a session that you don’t recognise, and change your password.</p>
    <p class="notice bad" data-sessions-problem role="alert" tabindex="-1" hidden></p>
    <ul class="sessions" data-sessions></ul>
    <button type="button" class="minor" data-end-others hidden>End all other sessions</button>
    <p class="hint" data-sessions-status role="status"></p>`,
);

const administration = html`<div data-admin hidden>
  ${section(
    "administration",
    "Administration",
    html`<p class="lead">
      Agents, topics, apps, tokens and reports are on the
      <a href="${CONSOLE_PATH}/admin">pages of the administration</a> in the console.
    </p>`,
  )}
</div>`;

/** The page where agents manage their own access. Its script fills it. */
export const profileView = (): string =>
  pageShell({
    title: "Profile",
    script: "profile",
    isWide: true,
    main: html`${noScript}
      <p class="lead" data-loading role="status">Loading…</p>
      <p class="notice bad" data-load-problem role="alert" hidden></p>
      <div class="sections" data-loaded hidden>
        ${person} ${administration} ${password} ${secondFactor} ${sessionList}
      </div>`,
  });
