import { runOn, type ConnectionConfig } from "./client.ts";
import { identifier } from "./schema.ts";
import { statement, type Db } from "./statement.ts";

/** A dedicated connection. Statements sent without awaiting each other share a round trip and run in order. */
export interface Connection extends Db {
  /** Runs any number of SQL statements, without parameters and results. */
  script(sql: string): Promise<void>;
  /** Subscribes to a notification channel. Resolves when the subscription is active. */
  listen(channel: string, hear: (payload: string) => void): Promise<void>;
  /** Calls the listener once when the connection is lost, also if that has already happened; never after `close`. */
  onLost(tell: (error: Error) => void): void;
  close(): Promise<void>;
}

/** Opens a connection. @errors errors of the driver */
export async function openConnection(config: ConnectionConfig): Promise<Connection> {
  const client = new config.Client(config);
  const tellers = new Set<(error: Error) => void>();
  const ears = new Map<string, ((payload: string) => void)[]>();
  let lost: Error | undefined;
  let closed: Promise<void> | undefined;

  const lose = (error: Error) => {
    if (lost || closed) return;
    lost = error;
    for (const tell of tellers) tell(error);
  };
  client.on("error", lose);
  client.on("end", () => lose(new Error("Connection terminated")));
  client.on("notification", ({ channel, payload = "" }) => {
    for (const hear of ears.get(channel) ?? []) hear(payload);
  });
  await client.connect();

  const rows = <R>(...[text, values]: Parameters<Db["rows"]>): Promise<R[]> => runOn<R>(client, text, values);
  return {
    rows,
    one: async <R>(...args: Parameters<Db["one"]>) => (await rows<R>(...args))[0],
    script: async (sql) => {
      await client.query(sql);
    },
    listen: async (channel, hear) => {
      ears.set(channel, [...(ears.get(channel) ?? []), hear]);
      await runOn(client, statement("", `LISTEN ${identifier(channel)}`), []);
    },
    onLost: (tell) => {
      if (lost) queueMicrotask(tell.bind(undefined, lost));
      else tellers.add(tell);
    },
    close: () => (closed ??= client.end()),
  };
}
