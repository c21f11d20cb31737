import type { AccountConfiguration } from "@parley/contract";
import type { Account } from "../http/slice.ts";

export interface AccountRow {
  readonly id: number;
  readonly name: string;
  readonly configuration: string;
  readonly primary_locale: string;
  readonly calls_per_hour: number | null;
}

/** Reads a row as the edge knows an account. */
export const accountOf = ({ id, name, configuration, primary_locale, calls_per_hour }: AccountRow): Account => {
  const parsed = JSON.parse(configuration) as AccountConfiguration;
  return { id, name, configuration: parsed, plan_type: parsed.plan_type, primary_locale, calls_per_hour };
};
