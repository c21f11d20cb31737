import Type, { type Static } from "typebox";
import {
  COMPOSER_ELEMENTS,
  EDITOR_TEXT_MAX,
  ELEMENT_CHANGES,
  EMBED_HELLO,
  EMBED_WELCOME,
  INTERCEPTED_EVENTS,
  NOTICE_KINDS,
  TEXT_POSITIONS,
} from "./embed-names.ts";
import type { FrontModel } from "./front.ts";

/**
 * An app's page inside the console: the console embeds `/embed` of the app's page host in a frame, and both exchange messages over a port.
 * The two pages have different origins; each checks the origin and the source of the first message, and the shape of all others.
 *
 *   embedded page                       console
 *     EMBED_HELLO  ─── window ──────────►            version of the protocol
 *                  ◄── window ─────────── EMBED_WELCOME, with a MessagePort
 *     ticket       ─── port ────────────►            a page ticket, for a session that the embedded page keeps in memory
 *     …            ◄── port ────────────► …
 */

const closed = { additionalProperties: false };
const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
const Key = Type.String({ minLength: 1, maxLength: 256 });
const Line = Type.String({ maxLength: 4_096 });
/** @units pixels */
const Pixels = Type.Number({ minimum: -100_000, maximum: 100_000 });

export const EmbedHello = Type.Object({ t: Type.Literal(EMBED_HELLO), version: Type.Integer() }, closed);
export type EmbedHello = Static<typeof EmbedHello>;
export const EmbedWelcome = Type.Object({ t: Type.Literal(EMBED_WELCOME), version: Type.Integer() }, closed);
export type EmbedWelcome = Static<typeof EmbedWelcome>;

/** Position and size of the app in the window, while the frame covers all of it. @units pixels */
export const EmbedRectangle = Type.Object({ left: Pixels, top: Pixels, width: Pixels, height: Pixels }, closed);
export type EmbedRectangle = Static<typeof EmbedRectangle>;

/** Why a request failed. */
export const EmbedFailure = Type.Object(
  { status: Type.Integer({ minimum: 400, maximum: 599 }), message: Line },
  closed,
);
export type EmbedFailure = Static<typeof EmbedFailure>;

/** Messages of the console to the embedded page. */
export const ConsoleMessage = Type.Union(
  [
    // The open conversation; absent without an open conversation. `agent`: the signed-in agent; for another agent the page begins a new session.
    Type.Object({ t: Type.Literal("open"), conversation: Type.Optional(Key), agent: Key }, closed),
    Type.Object({ t: Type.Literal("activate") }, closed),
    Type.Object({ t: Type.Literal("deactivate") }, closed),
    // An action of the agent waits for a `decision`.
    Type.Object(
      { t: Type.Literal("intercept"), id: Id, event: Type.Enum([...INTERCEPTED_EVENTS]), data: Type.Unknown() },
      closed,
    ),
    // The position of the app while the page is expanded has changed.
    Type.Object({ t: Type.Literal("layout"), rectangle: EmbedRectangle }, closed),
    // Results of requests of the embedded page.
    Type.Object({ t: Type.Literal("answer"), id: Id, value: Type.Unknown() }, closed),
    Type.Object({ t: Type.Literal("failure"), id: Id, failure: EmbedFailure }, closed),
  ],
  { title: "ConsoleMessage" },
);
export type ConsoleMessage = Static<typeof ConsoleMessage>;

/** Requests of the embedded page, which the console answers. */
const REQUESTS = [
  // -> a page ticket for the origin of the embedded page
  Type.Object({ t: Type.Literal("ticket"), id: Id }, closed),
  // -> whether the agent confirmed
  Type.Object(
    {
      t: Type.Literal("confirm"),
      id: Id,
      title: Line,
      message: Line,
      saveLabel: Line,
      cancelLabel: Line,
    },
    closed,
  ),
  Type.Object(
    {
      t: Type.Literal("setValue"),
      id: Id,
      text: Type.String({ maxLength: EDITOR_TEXT_MAX }),
      at: Type.Enum([...TEXT_POSITIONS]),
    },
    closed,
  ),
  Type.Object(
    {
      t: Type.Literal("element"),
      id: Id,
      element: Type.Enum([...COMPOSER_ELEMENTS]),
      change: Type.Enum([...ELEMENT_CHANGES]),
    },
    closed,
  ),
  // `value`: id of the conversation to open
  Type.Object(
    {
      t: Type.Literal("click"),
      id: Id,
      element: Type.Enum([...COMPOSER_ELEMENTS, "conversation"]),
      value: Type.Optional(Key),
    },
    closed,
  ),
  // The page needs the whole window for a dialog. -> EmbedRectangle: where the app was
  Type.Object({ t: Type.Literal("expand"), id: Id }, closed),
] as const;

/** Messages of the embedded page to the console. */
export const EmbedMessage = Type.Union(
  [
    ...REQUESTS,
    Type.Object({ t: Type.Literal("collapse") }, closed),
    // The app's page is loaded.
    Type.Object({ t: Type.Literal("ready") }, closed),
    // The app can't be shown; `ready` follows when it is shown later.
    Type.Object({ t: Type.Literal("error"), failure: EmbedFailure }, closed),
    Type.Object({ t: Type.Literal("notify"), kind: Type.Enum([...NOTICE_KINDS]), title: Line, message: Line }, closed),
    Type.Object({ t: Type.Literal("resize"), height: Type.Number({ minimum: 0, maximum: 10_000 }) }, closed),
    Type.Object({ t: Type.Literal("close") }, closed),
    // The answer to `intercept`. `message`: the app's reason, possibly empty
    Type.Object({ t: Type.Literal("decision"), id: Id, ok: Type.Boolean(), message: Line }, closed),
  ],
  { title: "EmbedMessage" },
);
export type EmbedMessage = Static<typeof EmbedMessage>;
export type EmbedRequest = Static<(typeof REQUESTS)[number]>;

/** `POST /embed/session`: exchanges a ticket for a session of the embedded page. */
export const EmbedTicket = Type.Object(
  { ticket: Type.String({ minLength: 1, maxLength: 256 }) },
  { title: "EmbedTicket", ...closed },
);
export type EmbedTicket = Static<typeof EmbedTicket>;

/** Answer to a ticket. @shape session: the value of the header PAGE_SESSION_HEADER, valid at one host name */
export interface EmbedSession {
  readonly session: string;
}

/** `GET /embed/model`: the contents of the embedded page. It contains no secure value. */
export interface EmbedModel extends Pick<FrontModel, "token" | "app" | "places" | "product"> {
  readonly agent: { readonly id: string; readonly name: string };
  /** Changes with the version of the app and with each change of its parameters; the page then reloads the app's frames. */
  readonly revision: string;
  /** Why the app can't be used at present, in a sentence. */
  readonly problem?: string;
}
