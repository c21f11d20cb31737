import Type, { type Static } from "typebox";
import { sessionsOf } from "../kernel/access.ts";
import { endpoint } from "../kernel/endpoint.ts";
import { problem } from "../kernel/problem.ts";
import { CONSOLE_API } from "./inbox.ts";

export const CONSOLE_APP_NOT_FOUND = problem({
  code: 404,
  status: "CONSOLE_APP_NOT_FOUND",
  message: "The account has no such app with pages, or it is paused.",
  remedy: "List the apps again.",
});

/** Proof of the session for the page of one app. */
export const AppTicket = Type.Object(
  {
    ticket: Type.String({ description: "Valid once, for 30 seconds, at the origin of the app's page." }),
    origin: Type.String(),
  },
  { title: "AppTicket" },
);
export type AppTicket = Static<typeof AppTicket>;

export const appTickets = {
  issueAppTicket: endpoint({
    route: `POST ${CONSOLE_API}/apps/{name}/ticket`,
    summary: "Issue a ticket by which the page of an app inside the console begins a session of the signed-in agent",
    spec: "Resources and their fields",
    access: { session: sessionsOf("AGENT", "some") },
    reply: { code: 201, body: AppTicket },
    problems: [CONSOLE_APP_NOT_FOUND],
  }),
};
