/** Who and what of an account generated data refers to. */
export interface Cast {
  readonly accountId: number;
  readonly appId: string;
  /** Ids of channels. */
  readonly channels: readonly string[];
  readonly agents: readonly {
    readonly id: string;
    readonly org_id: string | undefined;
    readonly groups: readonly string[];
  }[];
}
