import { statement, type Db } from "@parley/database";
import type { Ports } from "../../base/environment/ports.ts";
import { hashOf, isSecretShaped, newSecret } from "./secrets/secrets.ts";
import type { FoundSession, Sessions } from "./sessions/sessions.ts";

/** @units milliseconds */
const TICKET_LIFETIME_MS = 30_000;
/** The oldest tickets of a session are deleted when it has more. @assumed Pages that a browser opens at the same time. */
const TICKETS_PER_SESSION_MAX = 20;

// Nothing is inserted for a session that has ended meanwhile.
const INSERT = statement(
  "insert_page_ticket",
  `with session as (
     select id, account_id from agent_sessions where id = $2 for key share
   ), surplus as (
     delete from page_tickets
      where hash in (select hash from page_tickets where session_id = $2
                      order by expires_time desc offset ${TICKETS_PER_SESSION_MAX - 1})
   )
   insert into page_tickets (hash, account_id, session_id, origin, expires_time)
   select $1, account_id, id, $3, $4 from session
   returning session_id`,
);
const USE = statement(
  "use_page_ticket",
  `delete from page_tickets where hash = $1 returning session_id, origin, expires_time`,
);
const SWEEP = statement("", `delete from page_tickets where expires_time <= $1`);

interface UsedTicket {
  readonly session_id: string;
  readonly origin: string;
  readonly expires_time: Date;
}

interface PageTicketsDeps {
  readonly db: Db;
  readonly ports: Pick<Ports, "now" | "random">;
  readonly sessions: Pick<Sessions, "findById">;
}

/**
 * Tickets by which pages of apps learn who is signed in: they have host names of their own, where browsers send no session cookie. A ticket
 * is valid once, for 30 seconds, for the origin and the session that it was issued for.
 */
export const createPageTickets = ({ db, ports: { now, random }, sessions }: PageTicketsDeps) => ({
  /** -> the ticket; undefined if the session has ended */
  async issue(sessionId: string, origin: string): Promise<string | undefined> {
    const ticket = newSecret(random);
    const expires = new Date(now().getTime() + TICKET_LIFETIME_MS);
    return (await db.one(INSERT, [hashOf(ticket), sessionId, origin, expires])) === undefined ? undefined : ticket;
  },
  /**
   * Uses a ticket, also if the origin is wrong: it has been seen where it should not have been.
   * -> its session; undefined for a malformed, unknown, used or expired ticket, one of another origin, and one whose session has ended
   */
  async redeem(ticket: string, origin: string): Promise<FoundSession | undefined> {
    const used = isSecretShaped(ticket) ? await db.one<UsedTicket>(USE, [hashOf(ticket)]) : undefined;
    if (!used || used.origin !== origin || used.expires_time <= now()) return undefined;
    return sessions.findById(used.session_id);
  },
  /** Deletes expired tickets. */
  sweep: () => db.rows(SWEEP, [now()]),
});
export type PageTickets = ReturnType<typeof createPageTickets>;
