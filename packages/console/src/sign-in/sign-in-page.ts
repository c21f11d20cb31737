import type { Session, SignInResult, signIn } from "@parley/contract";
import type { Static } from "typebox";
import { accountField, chosenAccount } from "./account-field.ts";
import { SIGN_IN_PATH } from "./contract-values.ts";
import { h, heading, paragraph, showPage } from "./dom.ts";
import { emailField, form, submitButton, textField } from "./form.ts";
import { addressOf, completeSignIn, openNextPage, requestedNextPath } from "./navigation.ts";
import { failUnreachable, requestIdentity } from "./request.ts";
import { onOtherTabSession, storedSessionToken } from "../session/session-token.ts";

export type SignInMethods = Static<(typeof signIn.getSignInMethods)["reply"]["body"]>;

/** Why the sign-in opened, by the fragment of its address. */
const NOTICES: Readonly<Record<string, HTMLElement>> = {
  "#signed-out": h("p", { className: "notice good", role: "status" }, "You are signed out."),
  "#ended": h("p", { className: "notice warn", role: "status" }, "Your session has ended. Sign in again."),
};

/** Whether this browser is signed in already, to the account that the address asks for. */
const isSignedIn = async (): Promise<boolean> => {
  if (storedSessionToken() === undefined) return false;
  try {
    const session = await requestIdentity<Session>("GET", "session");
    return chosenAccount === "" || session.account === chosenAccount;
  } catch {
    // The token of a session that has ended stays until the next sign-in: other tabs take its removal for a sign-out.
    return false;
  }
};

/** The page where agents sign in. */
export const signInPage = (): void => {
  const title = heading("Sign in");
  const account = accountField();
  const email = emailField();
  const password = textField({
    ...{ id: "password", label: "Password", type: "password", autocomplete: "current-password" },
    missing: "Enter your password.",
  });
  const notice = NOTICES[location.hash];
  const forgot = h("a", {}, "Forgot password?");
  const providerList = h("ul", { className: "providers" });
  const providers = h("div", { hidden: true }, paragraph("or", "or"), providerList);

  const setStep = (isFirst: boolean): void => {
    signInForm.element.hidden = !isFirst;
    providers.hidden = !isFirst || providerList.childElementCount === 0;
    title.textContent = isFirst ? "Sign in" : "Second factor";
    notice?.remove();
  };
  const askForCode = async (challenge: string): Promise<void> => {
    const { addSecondFactorStep } = await import("./second-factor-step.ts").catch(failUnreachable);
    setStep(false);
    addSecondFactorStep(card, challenge, (reason) => {
      signInForm.clear();
      account.field.input.value = chosenAccount;
      setStep(true);
      if (reason === "") email.input.focus();
      else signInForm.showProblem(reason);
    });
  };
  const signInForm = form({
    fields: [account.field, email, password],
    content: [account.element, email.element, password.element, submitButton("Sign in"), paragraph("after", forgot)],
    async send() {
      const body = { account: account.name(), email: email.input.value.trim(), password: password.input.value };
      const result = await requestIdentity<SignInResult>("POST", "sign-in", body);
      if (result.challenge === undefined) return completeSignIn(result);
      await askForCode(result.challenge);
    },
    fieldOf: ({ status }) => status === "SIGN_IN_FAILED" && password,
  });

  /** The links of the page keep the account and the next page. */
  const updateLinks = (): void => {
    forgot.href = addressOf(`${SIGN_IN_PATH}/forgot`, { account: account.name(), next: requestedNextPath() });
  };
  let shownFor: string | undefined;
  /** Shows a button for each identity provider of the account. Without an answer the page shows no providers: signing in by password is possible. */
  const showProviders = async (): Promise<void> => {
    const name = account.name();
    updateLinks();
    if (name === shownFor) return;
    shownFor = name;
    const methods =
      name === ""
        ? undefined
        : await requestIdentity<SignInMethods>("GET", addressOf("sign-in-methods", { account: name })).catch(
            () => undefined,
          );
    if (name !== shownFor) return;
    const links = (methods?.identity_providers ?? []).map(({ name: provider, label }) => {
      const path = `${SIGN_IN_PATH}/oidc/${encodeURIComponent(provider)}`;
      const href = addressOf(path, { account: name, next: requestedNextPath() });
      return h("li", {}, h("a", { className: "minor", href }, label));
    });
    providerList.replaceChildren(...links);
    providers.hidden = links.length === 0 || signInForm.element.hidden;
  };

  const card = h("div", { className: "card" }, title, account.lead, notice, signInForm.element, providers);
  showPage("Sign in", card);
  // A reload doesn't repeat the notice.
  if (notice) history.replaceState(null, "", location.pathname + location.search);
  account.field.input.addEventListener("change", () => void showProviders());
  account.field.input.addEventListener("input", updateLinks);
  onOtherTabSession((token) => {
    if (token !== undefined) openNextPage();
  });
  void (async () => {
    if (await isSignedIn()) return openNextPage();
    const wanted = [account.field, email].find(({ input }) => input.form && input.value === "");
    if (document.activeElement === document.body) wanted?.input.focus();
    await showProviders();
  })();
};
