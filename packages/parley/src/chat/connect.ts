import { parleyClient, type ParleyClient } from "@parley/client";
import { parleyConfig } from "../config.ts";
import { UsageFailure } from "../failure.ts";
import { findInstance } from "../start/instance.ts";

export interface Address {
  readonly url?: string;
  readonly token?: string;
}

/** The service named by the options, or the one that runs on the data folder. @errors UsageFailure */
export async function connect({ url, token }: Address): Promise<ParleyClient> {
  if (url && token) return parleyClient({ url, token });
  const { dataFolder } = parleyConfig();
  const instance = await findInstance(dataFolder);
  if (!instance && !url)
    throw new UsageFailure(`No instance runs on ${dataFolder}. Start one with 'npm start', or give --url and --token.`);
  const key = token ?? instance?.token;
  if (!key) throw new UsageFailure("No API key is known for this service. Give it with --token.");
  return parleyClient({ url: url ?? instance?.service ?? "", token: key });
}
