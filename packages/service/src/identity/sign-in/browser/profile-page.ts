import type { Session } from "@parley/contract";
import { openSignIn } from "./complete-sign-in.ts";
import { requestErrorOf } from "./identity-request.ts";
import { requestOwn } from "./own-request.ts";
import { addRevealButtons, fillUsernames, partOf, showText } from "./page-elements.ts";
import { passwordSection } from "./profile-password.ts";
import { secondFactorSection } from "./profile-second-factor.ts";
import { sessionSection } from "./profile-sessions.ts";
import { onOtherTabSession, removeSessionToken, storedSessionToken } from "./session-token.ts";

const ROLES: Readonly<Record<Session["role"], string>> = {
  AGENT: "Agent",
  SUPER_USER: "Super user",
  ADMIN: "Admin",
  ACCOUNT_ADMIN: "Account admin",
};
const SCOPES: Readonly<Record<Session["scope"], string>> = {
  None: "No conversations",
  Me: "Own conversations",
  Group: "Conversations of own groups",
  Global: "All conversations",
};

let account = "";
const showPerson = (session: Session) => {
  ({ account } = session);
  const name = [session.first_name, session.last_name].filter(Boolean).join(" ");
  const facts = {
    name: name === "" ? session.email : name,
    email: session.email,
    account,
    role:
      session.role_id === session.role
        ? ROLES[session.role]
        : `A role of the account, with the access of ${ROLES[session.role]}`,
    scope: SCOPES[session.scope],
  };
  for (const [fact, text] of Object.entries(facts)) partOf(`[data-fact="${fact}"]`).textContent = text;
  fillUsernames(session.email);
  partOf("[data-admin]").hidden = session.role !== "ADMIN" && session.role !== "ACCOUNT_ADMIN";
};

const problem = partOf("[data-load-problem]");
const refresh = async () => {
  try {
    const session = await requestOwn<Session>("GET", "/identity/session");
    showPerson(session);
    showPassword(session);
    showSecondFactor(session);
    await showSessions();
    showText(problem, "");
    partOf("[data-loading]").hidden = true;
    partOf("[data-loaded]").hidden = false;
  } catch (error) {
    partOf("[data-loading]").hidden = true;
    showText(problem, requestErrorOf(error).message);
  }
};
const showPassword = passwordSection(refresh);
const showSecondFactor = secondFactorSection(refresh);
const showSessions = sessionSection();

const signOut = async () => {
  const token = storedSessionToken();
  try {
    await requestOwn("DELETE", "/identity/session");
  } catch (error) {
    // The session continues if the service did not end it: the page must not say otherwise.
    return showText(problem, `You are still signed in. ${requestErrorOf(error).message}`);
  }
  removeSessionToken(token);
  openSignIn("signed-out", { account });
};
partOf("[data-sign-out]").addEventListener("click", () => void signOut());

onOtherTabSession((token) => {
  if (token === undefined) openSignIn("signed-out", { account });
  else location.reload();
});
// A session that ended elsewhere is noticed when the agent returns to the page.
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") void refresh();
});
addRevealButtons();
void refresh();
