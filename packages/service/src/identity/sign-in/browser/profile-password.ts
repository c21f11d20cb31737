import type { Session } from "@parley/contract";
import { requestOwn } from "./own-request.ts";
import { partOf, showText } from "./page-elements.ts";
import { pageForm } from "./page-form.ts";

/** The section where an agent changes its password. @returns shows the state of a session */
export const passwordSection = (changed: () => Promise<void>): ((session: Session) => void) => {
  const saved = partOf("[data-password-saved]");
  let hasPassword = false;
  const { clear } = pageForm("change-password", {
    required: { "current-password": "Enter your current password.", "new-password": "Enter a new password." },
    async send({ "current-password": current = "", "new-password": password = "" }) {
      showText(saved, "");
      await requestOwn("PUT", "/identity/password", { ...(hasPassword && { current_password: current }), password });
      clear();
      showText(saved, "The password was saved. Your other sessions have ended.");
      await changed();
    },
    fieldOf: ({ status }) =>
      status === "PASSWORD_NOT_ACCEPTED"
        ? "new-password"
        : status === "SIGN_IN_FAILED" && hasPassword
          ? "current-password"
          : undefined,
  });
  return ({ has_password }) => {
    hasPassword = has_password;
    partOf("[data-has-password]").hidden = !has_password;
    partOf("[data-no-password]").hidden = has_password;
    for (const part of document.querySelectorAll<HTMLElement>("[data-needs-password]")) part.hidden = !has_password;
  };
};
