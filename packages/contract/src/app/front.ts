import Type, { type Static } from "typebox";
import type { Agent } from "../api/agents.ts";
import type { Conversation, ConversationStatus } from "../api/conversations.ts";
import type { Message } from "../api/messages.ts";
import type { User } from "../api/users.ts";
import { RecordQuestion } from "./records.ts";
import { FetchMethod, RequestOptions } from "./requests.ts";

/**
 * What the host page, where agents see an app, and its host say to each other: JSON, under `/front`. What the app's own frames ask
 * passes through the page, so the host checks all of it.
 */

const closed = { additionalProperties: false };
const Id = Type.String({ minLength: 1, maxLength: 256 });
const Name = Type.String({ maxLength: 256 });

/** Where the page stands: the conversation that is open and the agent who looks at it. */
const stand = { conversation: Type.Optional(Id), agent: Type.Optional(Id) };

/** What the app's client asks of the host; arguments of the app's own are checked where they are used. */
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

/** A question and the stand from which it is asked. */
export const FrontCall = Type.Object({ question: FrontQuestion, ...stand }, { title: "FrontCall", ...closed });
export type FrontCall = Static<typeof FrontCall>;

/** What the app's promise rejects with. */
export type FrontFailure = { readonly status: number; readonly message: string } & Readonly<Record<string, unknown>>;

export type FrontAnswer = { readonly value: unknown } | { readonly failure: FrontFailure };

/** How things stand, for a page that shows a conversation. */
export const FrontLook = Type.Object(stand, { title: "FrontLook", ...closed });
export type FrontLook = Static<typeof FrontLook>;

/** A message of an agent to the customer, or a note that only agents see. */
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

/** What an agent does with a conversation. @shape assign: id of an agent; "" takes it from whoever has it */
export const FrontChange = Type.Object(
  { conversation: Id, status: Type.Optional(Type.Enum(["resolved", "reopened"])), assign: Type.Optional(Name) },
  { title: "FrontChange", ...closed },
);
export type FrontChange = Static<typeof FrontChange>;

/** How an action of the agent ended. */
export type FrontOutcome = { readonly ok: true } | { readonly ok: false; readonly message: string };

/** A conversation in the list of recent ones. @units time: ISO 8601 */
export interface FrontSummary {
  readonly id: string;
  readonly status: ConversationStatus;
  /** Of the customer. */
  readonly name: string;
  readonly topic: string;
  /** Beginning of the newest text, where it is known. */
  readonly text: string;
  readonly time: string;
}

/** The open conversation with everything that is shown of it. @shape messages: the oldest first */
export interface FrontConversation {
  readonly conversation: Conversation;
  readonly messages: readonly Message[];
  readonly user: User | undefined;
  readonly agents: readonly Agent[];
  readonly topic: string;
}

/** Everything that the page shows and that may change while it is open. */
export interface FrontStanding {
  /** Version of the app: frames of another one are loaded again. */
  readonly version: string;
  /** Account that the app is installed on, and how often its parameters were saved. */
  readonly installed?: { readonly account: string; readonly saves: number };
  /** Errors of the newest version, as lines. */
  readonly errors: readonly string[];
  /** What keeps the conversations from being shown, in a sentence. */
  readonly problem?: string;
  readonly conversations: readonly FrontSummary[];
  readonly open?: FrontConversation;
  /** Those who may act here. */
  readonly agents: readonly { readonly id: string; readonly name: string }[];
}

/** How a place of the manifest is shown on the page. */
export type PlaceKind = "sidebar" | "editor" | "background" | "page" | "panel";

/** A place of the manifest as the page shows it. */
export interface FrontPlace {
  /** `module.place`, as `?place=` names it. */
  readonly id: string;
  readonly name: string;
  readonly module: string;
  readonly kind: PlaceKind;
  /** Below `/app/`. */
  readonly url: string;
  readonly icon: string;
  readonly label: string;
}

/** What the page is told when it is loaded; no secure value is in it. */
export interface FrontModel {
  /** To be sent along with each request: proof that the page is ours. */
  readonly token: string;
  readonly app: string;
  /** Whether conversations are live ones of the service, or samples. */
  readonly live: boolean;
  readonly places: readonly FrontPlace[];
  /** What `client.context` says of the product. */
  readonly product: { readonly name: string; readonly url: string };
}
