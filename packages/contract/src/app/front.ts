import Type, { type Static } from "typebox";
import type { Agent } from "../api/agents.ts";
import type { Conversation, ConversationStatus } from "../api/conversations.ts";
import type { Message } from "../api/messages.ts";
import type { User } from "../api/users.ts";
import { RecordQuestion } from "./records.ts";
import { FetchMethod, RequestOptions } from "./requests.ts";

/**
 * Messages between the host page, on which agents use an app, and its host: JSON under `/front`. The page forwards requests of the
 * app's frames, so the host validates every message.
 */

const closed = { additionalProperties: false };
const Id = Type.String({ minLength: 1, maxLength: 256 });
const Name = Type.String({ maxLength: 256 });

/** Context of the page: the open conversation and the current agent. */
const contextFields = { conversation: Type.Optional(Id), agent: Type.Optional(Id) };

/** Requests of the app's client to the host. Values of type unknown are checked by the code that handles the request. */
export const FrontQuestion = Type.Union(
  [
    Type.Object({ of: Type.Literal("data.get"), name: Name }, closed),
    Type.Object({ of: Type.Literal("iparams.get"), key: Type.Optional(Name) }, closed),
    ...RecordQuestion.anyOf,
    Type.Object(
      { of: Type.Literal("job.invoke"), name: Type.Unknown(), tag: Type.Unknown(), args: Type.Unknown() },
      closed,
    ),
    Type.Object({ of: Type.Literal("job.get"), id: Type.Unknown() }, closed),
    Type.Object({ of: Type.Literal("request.invokeTemplate"), name: Name, options: RequestOptions }, closed),
    Type.Object(
      {
        of: Type.Literal("request.fetch"),
        method: FetchMethod,
        url: Type.String({ maxLength: 8_192 }),
        options: Type.Unknown(),
      },
      closed,
    ),
    Type.Object({ of: Type.Literal("request.invoke"), name: Name, args: Type.Unknown() }, closed),
  ],
  { title: "FrontQuestion" },
);
export type FrontQuestion = Static<typeof FrontQuestion>;

/** A request with the context of the page. */
export const FrontCall = Type.Object({ question: FrontQuestion, ...contextFields }, { title: "FrontCall", ...closed });
export type FrontCall = Static<typeof FrontCall>;

/** The error that the app's promise rejects with. */
export type FrontFailure = { readonly status: number; readonly message: string } & Readonly<Record<string, unknown>>;

export type FrontAnswer = { readonly value: unknown } | { readonly failure: FrontFailure };

/** Request of the page for its current state. */
export const FrontContext = Type.Object(contextFields, { title: "FrontContext", ...closed });
export type FrontContext = Static<typeof FrontContext>;

/** An agent's message to the customer, or a private note. */
export const FrontMessage = Type.Object(
  {
    conversation: Id,
    agent: Id,
    text: Type.String({ minLength: 1, maxLength: 65_536 }),
    private: Type.Optional(Type.Boolean()),
  },
  { title: "FrontMessage", ...closed },
);
export type FrontMessage = Static<typeof FrontMessage>;

/** An agent's change of a conversation. @shape assign: id of an agent; "" unassigns */
export const FrontChange = Type.Object(
  { conversation: Id, status: Type.Optional(Type.Enum(["resolved", "reopened"])), assign: Type.Optional(Name) },
  { title: "FrontChange", ...closed },
);
export type FrontChange = Static<typeof FrontChange>;

/** Result of an agent's action. */
export type FrontOutcome = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** An entry in the list of recent conversations. @units time: ISO 8601 */
export interface FrontSummary {
  readonly id: string;
  readonly status: ConversationStatus;
  /** Name of the customer. */
  readonly name: string;
  readonly topic: string;
  /** Beginning of the newest text; "" if unknown. */
  readonly text: string;
  readonly time: string;
}

/** The open conversation with everything that the page shows of it. @shape messages: the oldest first */
export interface FrontConversation {
  readonly conversation: Conversation;
  readonly messages: readonly Message[];
  readonly user: User | undefined;
  readonly agents: readonly Agent[];
  readonly topic: string;
}

/** State of the page that can change while it is open. */
export interface FrontState {
  /** Version of the app; the page reloads the app's frames when it changes. */
  readonly version: string;
  /** Account of the installation, and how many times its parameters have been saved. */
  readonly installed?: { readonly account: string; readonly saves: number };
  /** Errors of the newest version, one per line. */
  readonly errors: readonly string[];
  /** Why conversations can't be shown, in a sentence. */
  readonly problem?: string;
  readonly conversations: readonly FrontSummary[];
  readonly open?: FrontConversation;
  /** Agents that the page offers as the acting agent. */
  readonly agents: readonly { readonly id: string; readonly name: string }[];
}

/** How the page shows a location of the manifest. */
export type PlaceKind = "sidebar" | "editor" | "background" | "page" | "panel";

/** A location of the manifest as the page shows it. */
export interface FrontPlace {
  /** `module.location`, as in the query `?place=`. */
  readonly id: string;
  readonly name: string;
  readonly module: string;
  readonly kind: PlaceKind;
  /** URL below `/app/`. */
  readonly url: string;
  readonly icon: string;
  readonly label: string;
}

/** Data that the page is loaded with; contains no secure value. */
export interface FrontModel {
  /** CSRF token that each request of the page carries. */
  readonly token: string;
  readonly app: string;
  /** The signed-in agent, who acts on the page; absent where pages need no sign-in: the page then offers all agents. */
  readonly agent?: { readonly id: string; readonly name: string };
  readonly places: readonly FrontPlace[];
  /** The product in `client.context`. */
  readonly product: { readonly name: string; readonly url: string };
}
