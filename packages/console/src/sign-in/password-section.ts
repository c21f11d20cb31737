import { notice, paragraph, showText } from "./dom.ts";
import { form, submitButton } from "./form.ts";
import { newPasswordField, ownPasswordField } from "./password-fields.ts";
import { requestOwn } from "./own-request.ts";
import { section, type ProfileSection } from "./profile-section.ts";

const WITH_PASSWORD = "A new password ends your sessions on other devices.";
const WITHOUT_PASSWORD =
  "You have no password yet. Choose a password, so that you can sign in without a link. This is possible for 15 minutes after a sign-in.";

/** The section where an agent changes its password. */
export const passwordSection = (changed: () => Promise<void>): ProfileSection => {
  const lead = paragraph("lead");
  const saved = notice("good");
  const current = ownPasswordField("current-password");
  const password = newPasswordField("Enter a new password.");
  let hasPassword = false;
  const { element, clear } = form({
    fields: [current.field, password],
    content: [current.element, password.element, submitButton("Save password", "minor")],
    async send() {
      showText(saved, "");
      await requestOwn("PUT", "password", {
        ...(hasPassword && { current_password: current.field.input.value }),
        password: password.input.value,
      });
      clear();
      showText(saved, "The password was saved. Your other sessions have ended.");
      await changed();
    },
    fieldOf: ({ status }) =>
      status === "PASSWORD_NOT_ACCEPTED" ? password : status === "SIGN_IN_FAILED" && hasPassword && current.field,
  });
  return {
    element: section("password", "Password", lead, element, saved).element,
    show(session) {
      hasPassword = session.has_password;
      lead.textContent = hasPassword ? WITH_PASSWORD : WITHOUT_PASSWORD;
      current.show(session);
    },
  };
};
