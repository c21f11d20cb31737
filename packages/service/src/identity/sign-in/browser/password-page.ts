import type { signIn, SignInResult } from "@parley/contract";
import type { Static } from "typebox";
import { completeSignIn } from "./complete-sign-in.ts";
import { requestErrorOf, requestIdentity } from "./identity-request.ts";
import { addressOf, addRevealButtons, fillUsernames, partOf, signInPath } from "./page-elements.ts";
import { pageForm } from "./page-form.ts";
import { secondFactorStep } from "./second-factor-step.ts";
import { rememberAccount } from "./session-token.ts";

type PasswordLink = Static<(typeof signIn.getPasswordLink)["reply"]["body"]>;

/** Browsers send the fragment to no server. */
const token = location.hash.slice(1);

const showInvalid = (text: string) => {
  form.hidden = true;
  partOf("[data-loading]").hidden = true;
  partOf("[data-invalid]").hidden = false;
  partOf("[data-invalid-text]").textContent = text;
};

const { form, input } = pageForm("choose", {
  required: { "new-password": "Enter a password." },
  async send({ "new-password": password = "" }) {
    const result = await requestIdentity<SignInResult>("POST", "/identity/password", { token, password });
    // The link is used: its secret need not stay in the history.
    history.replaceState(null, "", location.pathname);
    if (result.challenge === undefined) return completeSignIn(result);
    form.hidden = true;
    partOf("h1").textContent = "Second factor";
    askForCode(result.challenge);
  },
  fieldOf: ({ status }) => (status === "PASSWORD_NOT_ACCEPTED" ? "new-password" : undefined),
  refused({ status, message }) {
    if (status === "LINK_NOT_VALID") showInvalid(message);
    return status === "LINK_NOT_VALID";
  },
});
let account = "";
// The password is saved: the sign-in accepts it.
const askForCode = secondFactorStep(() => location.replace(addressOf(signInPath(), { account })));

const showLink = (link: PasswordLink) => {
  ({ account } = link);
  rememberAccount(account);
  partOf("[data-loading]").hidden = true;
  partOf("h1").textContent = link.purpose === "invitation" ? "Choose your password" : "Choose a new password";
  const [email, name] = [document.createElement("strong"), document.createElement("strong")];
  [email.textContent, name.textContent] = [link.email, account];
  partOf("[data-for]").replaceChildren("For ", email, " in the account ", name, ".");
  fillUsernames(link.email);
  form.hidden = false;
  input("new-password").focus();
};

addRevealButtons();
// Another link that is opened in this tab changes the fragment only.
addEventListener("hashchange", () => location.reload());
if (token === "") showInvalid("The address of this page lacks the secret of the link. Copy the whole link.");
else
  void requestIdentity<PasswordLink>("POST", "/identity/password-link", { token }).then(showLink, (error: unknown) =>
    showInvalid(requestErrorOf(error).message),
  );
