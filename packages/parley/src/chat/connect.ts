import { parleyClient, type ParleyClient } from "@parley/client";
import { parleyConfig } from "../config.ts";
import { UsageFailure } from "../failure.ts";
import { findInstance, type FoundInstance } from "../start/instance.ts";

export interface Address {
  readonly url?: string;
  readonly token?: string;
}

export interface Connection {
  readonly client: ParleyClient;
  /** Undefined for a service that was named by its address. */
  readonly instance: FoundInstance | undefined;
}

/** The service named by the options, or the one that runs on the data folder. @errors UsageFailure */
export async function connect({ url, token }: Address): Promise<Connection> {
  if (url && token) return { client: parleyClient({ url, token }), instance: undefined };
  const { dataFolder } = parleyConfig();
  const instance = await findInstance(dataFolder);
  if (!instance && !url)
    throw new UsageFailure(`No instance runs on ${dataFolder}. Start one with 'npm start', or give --url and --token.`);
  const key = token ?? instance?.token;
  if (!key) throw new UsageFailure("No API key is known for this service. Give it with --token.");
  const client = parleyClient({ url: url ?? instance?.service ?? "", token: key });
  return { client, instance: url ? undefined : instance };
}
