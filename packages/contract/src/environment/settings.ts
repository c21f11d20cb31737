import { urlOf } from "../kernel/url.ts";
import type { Environment, EnvironmentVariable } from "./environment.ts";

/** An error in a setting that the user of the command can correct. The command prints its message as one line. */
export class UsageFailure extends Error {
  override readonly name = "UsageFailure";
}

interface NumberRange {
  readonly min: number;
  readonly max: number;
  /** Words after "a whole number", such as `of days`. */
  readonly unit?: string;
}

/** Reads a whole number. -> undefined for an unset variable @errors UsageFailure with the name and the range of the variable */
export const wholeNumberSetting = (
  env: Environment,
  name: EnvironmentVariable,
  { min, max, unit }: NumberRange,
): number | undefined => {
  const text = env[name];
  if (text === undefined || text === "") return undefined;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  throw new UsageFailure(
    `${name} must be a whole number ${unit === undefined ? "" : `${unit} `}from ${min} to ${max}, not '${text}'.`,
  );
};

/** -> the origin as browsers write it; undefined for anything but an http or https origin */
export const httpOriginOf = (text: string): string | undefined => {
  const url = urlOf(text);
  const isOrigin = url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href && !/[?#]/.test(text);
  return isOrigin ? url.origin : undefined;
};
