import type { Agent } from "@parley/contract";
import { v5 } from "uuid";
import type { AccountState } from "../setup/state.ts";

/** All that one demo account is set up with. */
export interface DemoAccount extends AccountState {
  readonly id: number;
  readonly agents: readonly Agent[];
}

/** Any constant does: ids derived from it are the same on every machine, so that documents can name them. */
const NAMESPACE = "6f1c2f5e-7a0e-4d0b-9f0a-5c1d0e7b1a42";

/** Ids of one account's things by kind and name: a restart finds what it made. */
export const idsOf =
  (account: string) =>
  (kind: string, name: string): string =>
    v5(`${account}/${kind}/${name}`, NAMESPACE);
export type IdOf = ReturnType<typeof idsOf>;
