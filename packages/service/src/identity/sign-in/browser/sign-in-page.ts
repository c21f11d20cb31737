import type { Session, SignInResult, signIn } from "@parley/contract";
import type { Static } from "typebox";
import { completeSignIn, openNextPage, requestedNextPath } from "./complete-sign-in.ts";
import { requestIdentity } from "./identity-request.ts";
import { addressOf, addRevealButtons, partOf, signInPath } from "./page-elements.ts";
import { pageForm } from "./page-form.ts";
import { secondFactorStep } from "./second-factor-step.ts";
import { lastAccount, onOtherTabSession, storedSessionToken } from "./session-token.ts";

type SignInMethods = Static<(typeof signIn.getSignInMethods)["reply"]["body"]>;

const query = new URLSearchParams(location.search);
const title = partOf("h1");
const providers = partOf("[data-providers]");

const { form, input, showProblem, clear } = pageForm("password", {
  required: {
    account: "Enter the name of the account.",
    email: "Enter your e-mail address.",
    password: "Enter your password.",
  },
  async send({ account = "", email = "", password = "" }) {
    const body = { account: account.trim(), email: email.trim(), password };
    const result = await requestIdentity<SignInResult>("POST", "/identity/sign-in", body);
    if (result.challenge === undefined) return completeSignIn(result);
    setStep("second-factor");
    askForCode(result.challenge);
  },
  fieldOf: ({ status }) => (status === "SIGN_IN_FAILED" ? "password" : undefined),
});
const account = input("account");
const accountName = (): string => account.value.trim().toLowerCase();

const setStep = (step: "password" | "second-factor") => {
  const isFirst = step === "password";
  form.hidden = !isFirst;
  providers.hidden = !isFirst || providers.querySelector("a") === null;
  title.textContent = isFirst ? "Sign in" : "Second factor";
  for (const notice of document.querySelectorAll<HTMLElement>("[data-notice]")) notice.hidden = true;
};
const askForCode = secondFactorStep((reason) => {
  partOf("form[data-form=second-factor]").hidden = true;
  clear();
  account.value = chosenAccount;
  setStep("password");
  if (reason === "") input("email").focus();
  else showProblem(reason);
});

/** The links of the page keep the account and the next page. */
const updateLinks = () => {
  const next = requestedNextPath();
  partOf<HTMLAnchorElement>("[data-forgot]").href = addressOf(`${signInPath()}/forgot`, {
    account: accountName(),
    next,
  });
};

let shownFor: string | undefined;
/** Shows a button for each identity provider of the account. Without an answer the page shows no providers: signing in by password is possible. */
const showProviders = async () => {
  const name = accountName();
  updateLinks();
  if (name === shownFor) return;
  shownFor = name;
  const methods =
    name === ""
      ? undefined
      : await requestIdentity<SignInMethods>("GET", addressOf("/identity/sign-in-methods", { account: name })).catch(
          () => undefined,
        );
  if (name !== shownFor) return;
  const items = (methods?.identity_providers ?? []).map(({ name: provider, label }) => {
    const [item, link] = [document.createElement("li"), document.createElement("a")];
    link.className = "minor";
    link.href = addressOf(`${signInPath()}/oidc/${encodeURIComponent(provider)}`, {
      account: name,
      next: requestedNextPath(),
    });
    link.textContent = label;
    item.append(link);
    return item;
  });
  partOf("ul", providers).replaceChildren(...items);
  providers.hidden = items.length === 0 || form.hidden;
};

/** Whether this browser is signed in already, to the account that the address asks for. */
const isSignedIn = async (): Promise<boolean> => {
  if (storedSessionToken() === undefined) return false;
  try {
    const session = await requestIdentity<Session>("GET", "/identity/session");
    return chosenAccount === "" || session.account === chosenAccount;
  } catch {
    // The token of a session that has ended stays until the next sign-in: other tabs take its removal for a sign-out.
    return false;
  }
};

/** The account of the host, or of the address. */
const chosenAccount = account.type === "hidden" ? account.value : (query.get("account") ?? "").trim().toLowerCase();

const notice = document.querySelector<HTMLElement>(`[data-notice="${CSS.escape(location.hash.slice(1))}"]`);
if (notice) {
  notice.hidden = false;
  // A reload doesn't repeat the notice.
  history.replaceState(null, "", location.pathname + location.search);
}
if (account.type !== "hidden") account.value = chosenAccount === "" ? lastAccount() : chosenAccount;
account.addEventListener("change", () => void showProviders());
account.addEventListener("input", updateLinks);
addRevealButtons();
onOtherTabSession((token) => {
  if (token !== undefined) openNextPage();
});
void (async () => {
  if (await isSignedIn()) return openNextPage();
  const wanted = [account, input("email")].find((field) => field.type !== "hidden" && field.value === "");
  if (document.activeElement === document.body) wanted?.focus();
  await showProviders();
})();
