import pg from "pg";
import { DatabaseUnavailable, lineOf } from "./failure.ts";

/** Where one database is reached. */
export interface Address {
  readonly config: pg.ClientConfig;
  /** Server settings that the address itself asks for, in the form of `options`. */
  readonly settings: string;
  /** How messages name it: never with a password. */
  readonly place: string;
}

/** The address of a database behind a socket in `folder`, where whoever may enter is trusted. */
export const socketAddress = (folder: string, database = "postgres"): Address => ({
  // What is not said here, the driver takes from PG… variables that are meant for others.
  config: { host: folder, port: 5432, user: "postgres", database, ssl: false, client_encoding: "UTF8" },
  settings: "",
  place: folder,
});

/** Reads a connection URL. @errors DatabaseUnavailable */
export function urlAddress(url: string): Address {
  if (!/^(postgres|postgresql|socket):/.test(url)) throw notAnAddress();
  // Not by URL: a socket's address, postgres://user@/database?host=…, is none to it.
  const [path = "", query = ""] = url.split(/\?(.*)/s, 2);
  const parameters = new URLSearchParams(query);
  const settings = parameters.get("options") ?? "";
  // Left in, they would replace the search path that each pool asks for.
  parameters.delete("options");
  const config = { connectionString: settings ? `${path}?${parameters}` : url, keepAlive: true };
  try {
    const { host, port } = new pg.Client(config);
    return { config, settings, place: `${host}:${port}` };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_INVALID_URL") throw notAnAddress();
    throw new DatabaseUnavailable(`DATABASE_URL can't be used: ${lineOf(error)}.`);
  }
}

const notAnAddress = (): DatabaseUnavailable =>
  new DatabaseUnavailable(
    "DATABASE_URL is not an address. Write it as postgres://user:password@host:5432/database, or leave it out to use the embedded server.",
  );
