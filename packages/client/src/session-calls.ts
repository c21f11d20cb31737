import type {
  admin,
  Api,
  ConsoleApi,
  ConsoleStreamItem,
  Endpoint,
  identity,
  live,
  platform,
  Resource,
} from "@parley/contract";
import type { Call, CallInput } from "./calls.ts";
import type { StreamOptions } from "./stream.ts";

/** Like StreamCall. `id` is the position to continue from, for items that have no position of their own too. */
type ConsoleStreamCall = (input?: StreamOptions) => AsyncIterable<ConsoleStreamItem & { readonly id: string }>;

/** Function of an endpoint that pages with a session can call. An export is a file, and so is a picture. */
type SessionCall<E extends Endpoint> = E["route"] extends (typeof live.streamConsole)["route"]
  ? ConsoleStreamCall
  : E extends { readonly reply: { readonly type: "application/x-ndjson" | "image/*" } }
    ? (...input: CallInput<E>) => Promise<Blob>
    : Call<E>;

type AdmitsSessions = { readonly session: unknown } | { readonly isPublic: true };
type SessionCalls<R extends Resource> = {
  readonly [K in keyof R as R[K]["access"] extends AdmitsSessions ? K : never]: SessionCall<R[K]>;
};
type SessionTables = Api & typeof identity & ConsoleApi;
/** Functions of the endpoints of the API, of the sign-in and of the console that admit a session or need no credential. */
export type SessionClient = { readonly [K in keyof SessionTables]: SessionCalls<SessionTables[K]> };

interface AdminTables {
  readonly admin: typeof admin;
  readonly platform: typeof platform;
}
/** Functions of the endpoints of the administration that admit a session. */
export type AdminClient = { readonly [K in keyof AdminTables]: SessionCalls<AdminTables[K]> };
