import Type, { type Static } from "typebox";

const closed = { additionalProperties: false };

/**
 * How a request is sent, whoever describes it.
 * @shape oauth: name of the integration whose token is sent, required where config/oauth_config.json holds several; isOAuth: true by default
 *   where oauth is given, else false
 * @units retryDelay: milliseconds; timeout, of one attempt: seconds
 */
const sending = {
  maxAttempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
  retryDelay: Type.Optional(Type.Integer({ minimum: 0, maximum: 1500 })),
  timeout: Type.Optional(Type.Enum([15, 20, 25, 30])),
  isOAuth: Type.Optional(Type.Boolean()),
  oauth: Type.Optional(Type.String({ minLength: 1 })),
};

/** One request that an app may make; text between `<%=` and `%>` is filled in when it is made. */
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
    options: Type.Optional(Type.Object(sending, closed)),
  },
  { title: "RequestTemplate", ...closed },
);
export type RequestTemplate = Static<typeof RequestTemplate>;

/** `config/requests.json`: templates by name. */
export const RequestTemplates = Type.Record(Type.String(), RequestTemplate, { title: "RequestTemplates" });
export type RequestTemplates = Static<typeof RequestTemplates>;

/** What a caller adds to a template. */
export const RequestOptions = Type.Object(
  {
    context: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    body: Type.Optional(Type.String()),
    query: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { title: "RequestOptions" },
);
export type RequestOptions = Static<typeof RequestOptions>;

/** Verbs of the request method as platform-versions up to 2.2 have it: `$request.get(url, options)`. */
export const FetchMethod = Type.Enum(["get", "post", "put", "patch", "delete"]);
export type FetchMethod = Static<typeof FetchMethod>;

/**
 * Second argument of a verb; text between `<%=` and `%>` in the address and in headers is filled in.
 * @shape json: as `body`, and the content type is JSON; true: the body is
 */
export const FetchOptions = Type.Object(
  {
    headers: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])),
    ),
    body: Type.Optional(Type.Union([Type.String(), Type.Object({}), Type.Array(Type.Unknown()), Type.Null()])),
    json: Type.Optional(Type.Union([Type.Boolean(), Type.Object({}), Type.Array(Type.Unknown())])),
    formData: Type.Optional(Type.Unknown()),
    ...sending,
  },
  { title: "FetchOptions" },
);
export type FetchOptions = Static<typeof FetchOptions>;

/** How a request ended well: a status below 400. */
export interface RequestReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** As text, whatever its type. */
  readonly response: string;
  readonly attempts: number;
}

/** How a verb ended well. @shape response: text; where `json` was given and the answer is JSON, what it says */
export interface FetchReply extends Omit<RequestReply, "response"> {
  readonly response: unknown;
}

/** What a request that failed, or was refused, is rejected with. */
export interface RequestFailure extends RequestReply {
  readonly errorSource: "APP";
}
