import Type, { type Static } from "typebox";

const closed = { additionalProperties: false };

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
    /** @units retryDelay: milliseconds */
    options: Type.Optional(
      Type.Object(
        {
          maxAttempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
          retryDelay: Type.Optional(Type.Integer({ minimum: 0, maximum: 1500 })),
          isOAuth: Type.Optional(Type.Boolean()),
        },
        closed,
      ),
    ),
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
 * @units retryDelay: milliseconds; timeout: seconds
 */
export interface FetchOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | object;
  /** As `body`, and the content type is JSON. */
  readonly json?: object | boolean;
  readonly formData?: object;
  readonly isOAuth?: boolean;
  readonly maxAttempts?: number;
  readonly retryDelay?: number;
  readonly timeout?: number;
}

/** How a request ended well: a status below 400. */
export interface RequestReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** As text, whatever its type. */
  readonly response: string;
  readonly attempts: number;
}

/** What a request that failed, or was refused, is rejected with. */
export interface RequestFailure extends RequestReply {
  readonly errorSource: "APP";
}
