import type { ListedSession } from "@parley/contract";
import { IdentityRequestError, requestErrorOf } from "./identity-request.ts";
import { requestOwn } from "./own-request.ts";
import { partOf, showText } from "./page-elements.ts";

const METHODS = { password: "by password", link: "by a link", identity_provider: "by an identity provider" } as const;

const timeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const timeElement = (iso: string): HTMLTimeElement => {
  const time = document.createElement("time");
  time.dateTime = iso;
  time.textContent = timeFormat.format(new Date(iso));
  return time;
};
const paragraph = (className: string, ...content: readonly (Node | string)[]): HTMLElement => {
  const element = document.createElement("p");
  element.className = className;
  element.append(...content);
  return element;
};

/** Ends a session. A session that ended meanwhile is not an error. */
const endSession = async ({ id }: ListedSession): Promise<void> => {
  try {
    await requestOwn("DELETE", `/identity/sessions/${encodeURIComponent(id)}`);
  } catch (error) {
    if (!(error instanceof IdentityRequestError) || error.status !== "SESSION_NOT_FOUND") throw error;
  }
};

/** The list of the agent's sessions. @returns reads it again */
export const sessionSection = (): (() => Promise<void>) => {
  const list = partOf("[data-sessions]");
  const others = partOf<HTMLButtonElement>("[data-end-others]");
  const status = partOf("[data-sessions-status]");
  const problem = partOf("[data-sessions-problem]");
  let listed: readonly ListedSession[] = [];

  const end = async (sessions: readonly ListedSession[], text: string) => {
    showText(problem, "");
    const showProblem = (error: unknown) => showText(problem, requestErrorOf(error).message);
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
    partOf("#sessions-title").focus();
  };
  const item = (session: ListedSession): HTMLLIElement => {
    const [row, about, name] = [
      document.createElement("li"),
      document.createElement("div"),
      document.createElement("strong"),
    ];
    name.textContent = session.device;
    const first = paragraph("device", name);
    if (session.is_current) {
      const badge = document.createElement("span");
      badge.className = "badge";
      badge.textContent = "This session";
      first.append(" ", badge);
    }
    about.append(
      first,
      paragraph(
        "hint",
        `${session.address} · signed in ${METHODS[session.method]}, `,
        timeElement(session.created_time),
      ),
      paragraph(
        "hint",
        "Last request ",
        timeElement(session.last_seen_time),
        ", ends ",
        timeElement(session.expires_time),
      ),
    );
    row.append(about);
    if (!session.is_current) {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "minor";
      button.textContent = "End";
      button.setAttribute("aria-label", `End the session of ${session.device}, ${session.address}`);
      button.addEventListener("click", () => void end([session], "The session has ended."));
      row.append(button);
    }
    return row;
  };
  const show = async () => {
    ({ sessions: listed } = await requestOwn<{ sessions: ListedSession[] }>("GET", "/identity/sessions"));
    list.replaceChildren(...listed.map(item));
    others.hidden = listed.every(({ is_current }) => is_current);
  };
  others.addEventListener(
    "click",
    () =>
      void end(
        listed.filter(({ is_current }) => !is_current),
        "The other sessions have ended.",
      ),
  );
  return show;
};
