import type { IparamValue } from "@parley/contract";
import { UsageFailure } from "../failure.ts";
import { readJson } from "../json-file.ts";

const isValue = (value: unknown): value is IparamValue =>
  ["string", "number", "boolean"].includes(typeof value) ||
  (Array.isArray(value) && value.every((one) => typeof one === "string"));

const WANTED = 'It must hold one JSON object of values by key, such as {"greeting": "Hello"}.';

/** Values of installation parameters from a JSON file, or from standard input. @errors UsageFailure */
export async function readValues(file: string): Promise<Record<string, IparamValue>> {
  const values = await readJson(file, WANTED);
  if (typeof values !== "object" || values === null || Array.isArray(values))
    throw new UsageFailure(`The file ${file} holds no object. ${WANTED}`);
  for (const [key, value] of Object.entries(values))
    if (!isValue(value))
      throw new UsageFailure(
        `The value of '${key}' in ${file} is no parameter's: a text, a number, true, false or a list of texts is.`,
      );
  return values as Record<string, IparamValue>;
}
