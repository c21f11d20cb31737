import { parleyClient, type ParleyClient } from "@parley/client";
import { parleyConfig } from "../environment/config.ts";
import { CommandFailure } from "../environment/failure.ts";
import { findInstance, type FoundInstance } from "./instance.ts";

export interface ApiAddress {
  readonly url?: string;
  readonly token?: string;
}

interface ApiConnection {
  readonly client: ParleyClient;
  /** Undefined when the service was given by its URL. */
  readonly instance: FoundInstance | undefined;
}

/** Connects to the service that the options name, or to the instance that runs on the data folder. @errors CommandFailure */
export async function connectApi({ url, token }: ApiAddress): Promise<ApiConnection> {
  if (url && token) return { client: parleyClient({ url, token }), instance: undefined };
  const { dataFolder } = parleyConfig();
  const instance = await findInstance(dataFolder);
  if (!instance && !url)
    throw new CommandFailure(
      `No instance runs on ${dataFolder}. Start one with 'npx parley run' in an app's folder, or 'npx parley start', or pass --url and --token.`,
    );
  const key = token ?? instance?.token;
  if (!key) throw new CommandFailure("No API key is known for this service. Pass one with --token.");
  const client = parleyClient({ url: url ?? instance?.service ?? "", token: key });
  return { client, instance: url ? undefined : instance };
}
