import { accountField } from "./account-field.ts";
import { SIGN_IN_PATH } from "./contract-values.ts";
import { h, heading, paragraph, showPage } from "./dom.ts";
import { emailField, form, submitButton } from "./form.ts";
import { addressOf, requestedNextPath } from "./navigation.ts";
import { requestIdentity } from "./request.ts";
import type { SignInMethods } from "./sign-in-page.ts";

/** The page that asks for a link for a new password. */
export const forgotPage = (): void => {
  const account = accountField();
  const email = emailField();
  const sent = h(
    "div",
    { "data-sent": "", tabIndex: -1, hidden: true },
    paragraph(
      "notice good",
      "If the address belongs to an agent of the account, a link for a new password was sent to it. The link is valid for an hour.",
    ),
    paragraph("lead", "No message after a few minutes? Look into the folder for spam, or ask an admin of the account."),
  );
  const noMail = h(
    "div",
    { hidden: true },
    paragraph(
      "notice warn",
      "This service does not send e-mail. Ask an admin of your account: an admin can make a link for a new password.",
    ),
  );
  const { element } = form({
    fields: [account.field, email],
    content: [
      paragraph("lead", "Enter your e-mail address. A link for a new password is sent to it."),
      account.element,
      email.element,
      submitButton("Send the link"),
    ],
    async send() {
      await requestIdentity("POST", "password-reset", { account: account.name(), email: email.input.value.trim() });
      element.hidden = true;
      sent.hidden = false;
      sent.focus();
    },
  });
  element.hidden = true;
  const query = { account: account.element ? account.name() : "", next: requestedNextPath() };
  const back = h("a", { href: addressOf(SIGN_IN_PATH, query) }, "Back to the sign-in");
  showPage(
    "Forgot password",
    h(
      "div",
      { className: "card" },
      ...[heading("Forgot password"), account.lead, element, sent, noMail, paragraph("after", back)],
    ),
  );
  void requestIdentity<SignInMethods>("GET", "sign-in-methods").then(
    ({ sends_mail }) => {
      element.hidden = !sends_mail;
      noMail.hidden = sends_mail;
    },
    // The form shows the problem when it is sent.
    () => void (element.hidden = false),
  );
};
