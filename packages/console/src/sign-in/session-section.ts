import type { ListedSession } from "@parley/contract";
import { h, notice, paragraph, showText } from "./dom.ts";
import { pushButton } from "./form.ts";
import { requestErrorOf } from "./request.ts";
import { requestOwn } from "./own-request.ts";
import { section, type ProfileSection } from "./profile-section.ts";

const METHODS = { password: "by password", link: "by a link", identity_provider: "by an identity provider" } as const;

const timeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const timeElement = (iso: string): HTMLTimeElement => h("time", { dateTime: iso }, timeFormat.format(new Date(iso)));

/** Ends a session. A session that ended meanwhile is not an error. */
const endSession = async ({ id }: ListedSession): Promise<void> => {
  try {
    await requestOwn("DELETE", `sessions/${encodeURIComponent(id)}`);
  } catch (error) {
    if (requestErrorOf(error).status !== "SESSION_NOT_FOUND") throw error;
  }
};

/** The list of the agent's sessions. */
export const sessionSection = (): ProfileSection => {
  let listed: readonly ListedSession[] = [];
  const list = h("ul", { className: "sessions" });
  const status = h("p", { className: "hint", role: "status" });
  const problem = notice("bad");
  const others = pushButton(
    "End all other sessions",
    "minor",
    () =>
      void end(
        listed.filter(({ is_current }) => !is_current),
        "The other sessions have ended.",
      ),
  );
  const lead = "Where you are signed in. End a session that you don’t recognise, and change your password.";
  const own = section("sessions", "Sessions", paragraph("lead", lead), problem, list, others, status);

  const item = (session: ListedSession): HTMLLIElement => {
    const { device, address, method, is_current, created_time, last_seen_time, expires_time } = session;
    const name = h("strong", {}, device);
    const badge = h("span", { className: "badge" }, "This session");
    const button = pushButton("End", "minor", () => void end([session], "The session has ended."));
    button.setAttribute("aria-label", `End the session of ${device}, ${address}`);
    return h(
      "li",
      {},
      h(
        "div",
        {},
        is_current ? paragraph("", name, " ", badge) : paragraph("", name),
        paragraph("hint", `${address} · signed in ${METHODS[method]}, `, timeElement(created_time)),
        paragraph("hint", "Last request ", timeElement(last_seen_time), ", ends ", timeElement(expires_time)),
      ),
      !is_current && button,
    );
  };
  const show = async (): Promise<void> => {
    ({ sessions: listed } = await requestOwn<{ sessions: ListedSession[] }>("GET", "sessions"));
    list.replaceChildren(...listed.map(item));
    others.hidden = listed.every(({ is_current }) => is_current);
  };
  const end = async (sessions: readonly ListedSession[], text: string): Promise<void> => {
    showText(problem, "");
    const showProblem = (error: unknown): void => showText(problem, requestErrorOf(error).message);
    let done = "";
    try {
      for (const each of sessions) await endSession(each);
      done = text;
    } catch (error) {
      showProblem(error);
    }
    await show().catch(showProblem);
    // The text appears when the list is up to date.
    status.textContent = done;
    // The button that had the focus is gone.
    own.title.focus();
  };
  return { element: own.element, show };
};
