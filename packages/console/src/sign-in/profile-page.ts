import "./profile.css";
import type { Session } from "@parley/contract";
import { HOME_PATH } from "./contract-values.ts";
import { h, heading, notice, paragraph, showPage, showText } from "./dom.ts";
import { pushButton } from "./form.ts";
import { requestErrorOf } from "./request.ts";
import { openSignIn, requestOwn } from "./own-request.ts";
import { onOtherTabSession, removeSessionToken, storedSessionToken } from "../session/session-token.ts";
import { passwordSection } from "./password-section.ts";
import { secondFactorSection } from "./second-factor-section.ts";
import { section } from "./profile-section.ts";
import { sessionSection } from "./session-section.ts";

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

const nameOf = ({ first_name, last_name, email }: Session): string =>
  [first_name, last_name].filter(Boolean).join(" ") || email;

const factsOf = ({ email, account, role, role_id, scope }: Session): readonly HTMLElement[] =>
  Object.entries({
    "E-mail address": email,
    Account: account,
    Role: role_id === role ? ROLES[role] : `A role of the account, with the access of ${ROLES[role]}`,
    Scope: SCOPES[scope],
  }).map(([name, text]) => h("div", {}, h("dt", {}, name), h("dd", {}, text)));

const administration = (): HTMLElement => {
  const link = h("a", { href: `${HOME_PATH}/admin` }, "pages of the administration");
  const lead = paragraph("lead", "Agents, topics, apps, tokens and reports are on the ", link, " in the console.");
  return section("administration", "Administration", lead).element;
};

/** The page where agents manage their own access. */
export const profilePage = (): void => {
  document.body.className = "wide";
  const problem = notice("bad");
  const content = h("div", {}, h("p", { className: "lead", role: "status" }, "Loading…"));
  const title = heading("Profile");
  const facts = h("dl", { className: "facts" });
  const adminLink = h("div", { hidden: true }, administration());
  let account = "";

  const signOut = async (): Promise<void> => {
    const token = storedSessionToken();
    try {
      await requestOwn("DELETE", "session");
    } catch (error) {
      // The session continues if the service did not end it: the page must not say otherwise.
      return showText(problem, `You are still signed in. ${requestErrorOf(error).message}`);
    }
    removeSessionToken(token);
    openSignIn("#signed-out", { account });
  };
  const person = h(
    "div",
    { className: "card" },
    h(
      "div",
      { className: "title" },
      title,
      pushButton("Sign out", "minor", () => void signOut()),
    ),
    facts,
  );

  const refresh = async (): Promise<void> => {
    try {
      const session = await requestOwn<Session>("GET", "session");
      ({ account } = session);
      title.textContent = nameOf(session);
      facts.replaceChildren(...factsOf(session));
      adminLink.hidden = session.role !== "ADMIN" && session.role !== "ACCOUNT_ADMIN";
      for (const each of sections) await each.show(session);
      showText(problem, "");
      if (!person.isConnected) content.replaceChildren(person, adminLink, ...sections.map(({ element }) => element));
      content.className = "sections";
    } catch (error) {
      if (!person.isConnected) content.replaceChildren();
      showText(problem, requestErrorOf(error).message);
    }
  };
  const sections = [passwordSection(refresh), secondFactorSection(refresh), sessionSection()];

  showPage("Profile", problem, content);
  onOtherTabSession((token) => {
    if (token === undefined) openSignIn("#signed-out", { account });
    else location.reload();
  });
  // A session that ended elsewhere is noticed when the agent returns to the page.
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") void refresh();
  });
  void refresh();
};
