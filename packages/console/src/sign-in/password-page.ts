import type { signIn, SignInResult } from "@parley/contract";
import type { Static } from "typebox";
import { SIGN_IN_PATH } from "./contract-values.ts";
import { h, heading, paragraph, showPage } from "./dom.ts";
import { form, submitButton } from "./form.ts";
import { addressOf, completeSignIn } from "./navigation.ts";
import { newPasswordField, usernameField } from "./password-fields.ts";
import { requestErrorOf, requestIdentity } from "./request.ts";
import { addSecondFactorStep } from "./second-factor-step.ts";
import { rememberAccount } from "../session/session-token.ts";

type PasswordLink = Static<(typeof signIn.getPasswordLink)["reply"]["body"]>;

const invalidLink = (text: string): readonly HTMLElement[] => [
  h("p", { className: "notice bad", role: "alert" }, text),
  paragraph(
    "lead",
    "A link works once, and an invitation for 7 days. Ask an admin of your account for a new link, or ",
    h("a", { href: `${SIGN_IN_PATH}/forgot` }, "ask for a new password by e-mail"),
    ".",
  ),
  paragraph("after", h("a", { href: SIGN_IN_PATH }, "Go to the sign-in")),
];

/** The page where an agent chooses a password, by a link whose secret is in the fragment. */
export const passwordPage = (): void => {
  /** Browsers send the fragment to no server. */
  const token = location.hash.slice(1);
  const title = heading("Choose a password");
  const content = h("div", {}, h("p", { className: "lead", role: "status" }, "Checking the link…"));
  const showInvalid = (text: string): void => content.replaceChildren(...invalidLink(text));

  const showLink = ({ account, email, purpose }: PasswordLink): void => {
    rememberAccount(account);
    title.textContent = purpose === "invitation" ? "Choose your password" : "Choose a new password";
    const password = newPasswordField("Enter a password.");
    const { element } = form({
      fields: [password],
      content: [
        paragraph("lead", "For ", h("strong", {}, email), " in the account ", h("strong", {}, account), "."),
        usernameField(email),
        password.element,
        submitButton("Save and sign in"),
      ],
      async send() {
        const body = { token, password: password.input.value };
        const result = await requestIdentity<SignInResult>("POST", "password", body);
        // The link is used: its secret need not stay in the history.
        history.replaceState(null, "", location.pathname);
        if (result.challenge === undefined) return completeSignIn(result);
        title.textContent = "Second factor";
        element.remove();
        // The password is saved: the sign-in accepts it.
        addSecondFactorStep(content, result.challenge, () => location.replace(addressOf(SIGN_IN_PATH, { account })));
      },
      fieldOf: ({ status }) => status === "PASSWORD_NOT_ACCEPTED" && password,
      refused({ status, message }) {
        if (status === "LINK_NOT_VALID") showInvalid(message);
        return status === "LINK_NOT_VALID";
      },
    });
    content.replaceChildren(element);
    password.input.focus();
  };

  showPage("Choose a password", h("div", { className: "card" }, title, content));
  // Another link that is opened in this tab changes the fragment only.
  addEventListener("hashchange", () => location.reload());
  if (token === "") showInvalid("The address of this page lacks the secret of the link. Copy the whole link.");
  else
    void requestIdentity<PasswordLink>("POST", "password-link", { token }).then(showLink, (error: unknown) =>
      showInvalid(requestErrorOf(error).message),
    );
};
