import { runOn, type ConnectionConfig } from "./client.ts";
import { identifier } from "./schema.ts";
import { statement, type Db } from "./statement.ts";

/** A dedicated connection. Statements sent without awaiting each other share a round trip and run in order. */
export interface Connection extends Db {
  /** Runs any number of SQL statements, without parameters and results. */
  script(sql: string): Promise<void>;
  /** Subscribes to a notification channel. Resolves when the subscription is active. */
  listen(channel: string, listener: (payload: string) => void): Promise<void>;
  /** Calls the listener once when the connection is lost, also if that has already happened; never after `close`. */
  onLost(listener: (error: Error) => void): void;
  close(): Promise<void>;
}

/** Opens a connection. @errors errors of the driver */
export async function openConnection(config: ConnectionConfig): Promise<Connection> {
  const client = new config.Client(config);
  const lostListeners = new Set<(error: Error) => void>();
  const channelListeners = new Map<string, ((payload: string) => void)[]>();
  let lost: Error | undefined;
  let closed: Promise<void> | undefined;

  const handleLoss = (error: Error) => {
    if (lost || closed) return;
    lost = error;
    for (const listener of lostListeners) listener(error);
  };
  client.on("error", handleLoss);
  client.on("end", () => handleLoss(new Error("Connection terminated")));
  client.on("notification", ({ channel, payload = "" }) => {
    for (const listener of channelListeners.get(channel) ?? []) listener(payload);
  });
  await client.connect();

  const rows = <R>(...[text, values]: Parameters<Db["rows"]>): Promise<R[]> => runOn<R>(client, text, values);
  return {
    rows,
    one: async <R>(...args: Parameters<Db["one"]>) => (await rows<R>(...args))[0],
    script: async (sql) => {
      await client.query(sql);
    },
    listen: async (channel, listener) => {
      channelListeners.set(channel, [...(channelListeners.get(channel) ?? []), listener]);
      await runOn(client, statement("", `listen ${identifier(channel)}`), []);
    },
    onLost: (listener) => {
      if (lost) queueMicrotask(listener.bind(undefined, lost));
      else lostListeners.add(listener);
    },
    close: () => (closed ??= client.end()),
  };
}
