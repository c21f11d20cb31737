import type { signIn } from "@parley/contract";
import type { Static } from "typebox";
import { requestedNextPath } from "./complete-sign-in.ts";
import { requestIdentity } from "./identity-request.ts";
import { addressOf, partOf, signInPath } from "./page-elements.ts";
import { pageForm } from "./page-form.ts";
import { lastAccount } from "./session-token.ts";

type SignInMethods = Static<(typeof signIn.getSignInMethods)["reply"]["body"]>;

const { form, input } = pageForm("forgot", {
  required: { account: "Enter the name of the account.", email: "Enter your e-mail address." },
  async send({ account = "", email = "" }) {
    await requestIdentity("POST", "/identity/password-reset", { account: account.trim(), email: email.trim() });
    form.hidden = true;
    const sent = partOf("[data-sent]");
    sent.hidden = false;
    sent.focus();
  },
});
const account = input("account");
if (account.type !== "hidden") account.value = new URLSearchParams(location.search).get("account") ?? lastAccount();
partOf<HTMLAnchorElement>("[data-back]").href = addressOf(signInPath(), {
  account: account.type === "hidden" ? undefined : account.value,
  next: requestedNextPath(),
});
void requestIdentity<SignInMethods>("GET", "/identity/sign-in-methods").then(
  ({ sends_mail }) => {
    form.hidden = !sends_mail;
    partOf("[data-no-mail]").hidden = sends_mail;
  },
  // The form shows the problem when it is sent.
  () => void (form.hidden = false),
);
