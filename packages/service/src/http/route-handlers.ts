import type {
  AccountConfiguration,
  AgentRole,
  AgentScope,
  Endpoint,
  InputOf,
  Permission,
  PlanType,
  ReplyOf,
  Resource,
} from "@parley/contract";
import type { IdempotencyRecord } from "./idempotency/idempotency-record.ts";
import type { PictureReply } from "./picture-reply.ts";
import type { StreamedLines, StreamedReply } from "./streamed.ts";

/** The account of an access token. */
export interface CallerAccount {
  readonly id: number;
  readonly name: string;
  readonly configuration: AccountConfiguration;
  readonly plan_type: PlanType;
  readonly primary_locale: string;
  /** null: the default of the plan. */
  readonly calls_per_hour: number | null;
}

/** The agent of a session, as of at most a second ago. */
export interface CallerAgent {
  readonly id: string;
  readonly email: string;
  readonly role_id: string;
  /** The predefined role that the agent's role ranks as. */
  readonly role: AgentRole;
  readonly scope: AgentScope;
  /** Ids of the agent's groups. */
  readonly groups: readonly string[];
}

/** The visitor of the messenger whose session sent a request, as of at most a second ago. */
export interface CallerVisitor {
  readonly userId: string;
  /** An agent has blocked the visitor: it may read, and write nothing. */
  readonly isBlocked: boolean;
  /** Whether the account requires a signed identity. */
  readonly isSignatureRequired: boolean;
  /** Until when the identity is signed. Absent: no identity of the session was signed. */
  readonly signedUntil?: Date;
}

/** The caller, identified by an access token, an agent's session or a visitor's session. */
export interface ApiCaller {
  readonly account: CallerAccount;
  /** Id of the token or the session. */
  readonly credentialId: string;
  /** Name of the token. Absent for a session. */
  readonly tokenName?: string;
  /** Permissions of the token. An agent's session has all: the rows of the contract and the scope restrict it. A visitor's has none. */
  readonly permissions: ReadonlySet<Permission>;
  /** Present for an agent's session. */
  readonly agent?: CallerAgent;
  /** Present for a visitor's session. */
  readonly visitor?: CallerVisitor;
  /** The token's account is closed: every request is refused. A session of a closed account is not found. */
  readonly isAccountClosed?: true;
}

/** The caller of a request and its address, as the audit log records them. */
export interface RequestActor {
  readonly type: "operator" | "token" | "agent" | "visitor" | "anonymous";
  /** Id of the token, the agent, or the visitor's user. */
  readonly id?: string;
  /** Name of the token, or e-mail address of the agent. */
  readonly name?: string;
  /** IP address. */
  readonly address: string;
  /** The agent of a session. Absent for other credentials. */
  readonly agent?: CallerAgent;
  /** Id of the session's account. Absent for other credentials. */
  readonly accountId?: number;
}

/** Context of a request in addition to the endpoint's input. `query` is unparsed, for links that repeat it. */
export interface HandlerContext {
  readonly caller: ApiCaller;
  readonly actor: RequestActor;
  /** Sets a header of the reply. */
  readonly setHeader: (name: string, value: string) => void;
  /** Present if the request has an idempotency key: the handler stores its reply in the transaction of the change. */
  readonly claim?: IdempotencyRecord | undefined;
  readonly request: {
    readonly path: string;
    /** Prefix of addresses in the reply: `/v2`, or the base path of the suite account if the request used it. */
    readonly basePath: string;
    readonly query: Readonly<Record<string, string>>;
    /** Origin of absolute addresses of this service, such as `http://127.0.0.1:10002`. */
    readonly origin: string;
    readonly header: (name: string) => string | undefined;
  };
}

/** A reply that is already serialised by the same schema. It avoids a second serialisation in frequent operations. */
interface RawJson {
  readonly rawJson: string;
}
export const rawJson = (text: string): RawJson => ({ rawJson: text });

export type RouteHandler<E extends Endpoint> = (
  input: InputOf<E> & HandlerContext,
) => Promise<ReplyOf<E> | RawJson | StreamedLines | StreamedReply | PictureReply>;
export type RouteHandlers<R extends Resource> = { readonly [K in keyof R]: RouteHandler<R[K]> };

export interface ResourceRoutes {
  readonly resource: Resource;
  readonly handlers: RouteHandlers<Resource>;
  /** Operations whose change itself checks for a reply stored under the key. */
  readonly checksStoredReply?: readonly string[];
  /** Of operations that add a message and reply with another form of it: the reply to a message that is stored as this JSON text. */
  readonly replyOfMessage?: Readonly<Record<string, (stored: string) => string>>;
}

/** -> the rows of a table with their handlers @errors Error that names the route of a row without a handler */
export const rowsWithHandlers = ({ resource, handlers }: ResourceRoutes) =>
  Object.entries(resource).map(([operation, row]) => {
    const handler = handlers[operation];
    if (!handler) throw new Error(`The endpoint ${row.route} has no handler.`);
    return { operation, row, handler };
  });

/** Combines a contract table with its handlers; a missing handler is a type error. The types of the rows are erased here. */
export const defineRoutes = <const R extends Resource>(
  resource: R,
  handlers: RouteHandlers<R>,
  more: Pick<ResourceRoutes, "replyOfMessage"> & { readonly checksStoredReply?: readonly (keyof R & string)[] } = {},
): ResourceRoutes => ({ resource, handlers, ...more });
