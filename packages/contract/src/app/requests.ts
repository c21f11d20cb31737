import Type, { type Static } from "typebox";

const closed = { additionalProperties: false };

/**
 * Options of sending a request, shared by templates and verbs.
 * @shape oauth: name of the integration whose token is sent, required if config/oauth_config.json has several; isOAuth: true by default
 *   if oauth is given, else false
 * @units retryDelay: milliseconds; timeout, of one attempt: seconds
 */
const sendOptions = {
  maxAttempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
  retryDelay: Type.Optional(Type.Integer({ minimum: 0, maximum: 1500 })),
  timeout: Type.Optional(Type.Enum([15, 20, 25, 30])),
  isOAuth: Type.Optional(Type.Boolean()),
  oauth: Type.Optional(Type.String({ minLength: 1 })),
};

/** A request that an app can make. `<%= … %>` placeholders are filled in when the request is made. */
export const RequestTemplate = Type.Object(
  {
    schema: Type.Object(
      {
        method: Type.Enum(["GET", "POST", "PUT", "PATCH", "DELETE"]),
        protocol: Type.Optional(Type.Enum(["https", "HTTPS"])),
        host: Type.String({ minLength: 1 }),
        path: Type.Optional(Type.String()),
        headers: Type.Optional(Type.Record(Type.String(), Type.String())),
        query: Type.Optional(Type.Record(Type.String(), Type.String())),
      },
      closed,
    ),
    options: Type.Optional(Type.Object(sendOptions, closed)),
  },
  { title: "RequestTemplate", ...closed },
);
export type RequestTemplate = Static<typeof RequestTemplate>;

/** `config/requests.json`: templates by name. */
export const RequestTemplates = Type.Record(Type.String(), RequestTemplate, { title: "RequestTemplates" });
export type RequestTemplates = Static<typeof RequestTemplates>;

/** The caller's part of a templated request. */
export const RequestOptions = Type.Object(
  {
    context: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    body: Type.Optional(Type.String()),
    query: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { title: "RequestOptions" },
);
export type RequestOptions = Static<typeof RequestOptions>;

/** Verbs of the request method in platform-versions up to 2.2: `$request.get(url, options)`. */
export const FetchMethod = Type.Enum(["get", "post", "put", "patch", "delete"]);
export type FetchMethod = Static<typeof FetchMethod>;

/**
 * Second argument of a verb. `<%= … %>` placeholders in the URL and in headers are filled in.
 * @shape json: a body to send as JSON; true: `body` is sent as JSON
 */
export const FetchOptions = Type.Object(
  {
    headers: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
    ),
    body: Type.Optional(Type.Union([Type.String(), Type.Object({}), Type.Array(Type.Unknown()), Type.Null()])),
    json: Type.Optional(Type.Union([Type.Boolean(), Type.Object({}), Type.Array(Type.Unknown())])),
    formData: Type.Optional(Type.Unknown()),
    ...sendOptions,
  },
  { title: "FetchOptions" },
);
export type FetchOptions = Static<typeof FetchOptions>;

/** Result of a successful request: a status below 400. */
export interface RequestReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text, for every type. */
  readonly response: string;
  readonly attempts: number;
}

/** Result of a successful verb. @shape response: text; with the option `json`, the parsed body if it is JSON */
export interface FetchReply extends Omit<RequestReply, "response"> {
  readonly response: unknown;
}

/** The error that the promise of a failed or refused request rejects with. */
export interface RequestFailure extends RequestReply {
  readonly errorSource: "APP";
}
