import { readFile } from "node:fs/promises";
import type { IparamValue } from "@parley/contract";
import { UsageFailure } from "../failure.ts";

const isValue = (value: unknown): value is IparamValue =>
  ["string", "number", "boolean"].includes(typeof value) ||
  (Array.isArray(value) && value.every((one) => typeof one === "string"));

/** Stands for standard input. */
const INPUT = "-";

const inputText = async (): Promise<string> => {
  let text = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) text += String(chunk);
  return text;
};

/** Values of installation parameters from a JSON file, or from standard input. @errors UsageFailure */
export async function readValues(file: string): Promise<Record<string, IparamValue>> {
  const wanted = 'It must hold one JSON object of values by key, such as {"greeting": "Hello"}.';
  const text = await (file === INPUT ? inputText() : readFile(file, "utf8")).catch((error: NodeJS.ErrnoException) => {
    throw new UsageFailure(`The file ${file} can't be read (${error.code ?? "error"}). ${wanted}`);
  });
  let values: unknown;
  try {
    values = JSON.parse(text);
  } catch (error) {
    throw new UsageFailure(`The file ${file} is no JSON (${(error as Error).message}). ${wanted}`);
  }
  if (typeof values !== "object" || values === null || Array.isArray(values))
    throw new UsageFailure(`The file ${file} holds no object. ${wanted}`);
  for (const [key, value] of Object.entries(values))
    if (!isValue(value))
      throw new UsageFailure(
        `The value of '${key}' in ${file} is no parameter's: a text, a number, true, false or a list of texts is.`,
      );
  return values as Record<string, IparamValue>;
}
