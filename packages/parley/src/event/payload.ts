import { readFile } from "node:fs/promises";
import { UsageFailure } from "../failure.ts";

type Payload = Record<string, unknown>;

const read = (text: string, where: string): Payload => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UsageFailure(`${where} is no JSON (${(error as Error).message}).`);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Payload;
  throw new UsageFailure(`${where} must be one JSON object, such as {"data": {}}.`);
};

/** The payload that the options give; undefined where they give none. @errors UsageFailure */
export async function givenPayload(from: string | undefined, data: string | undefined): Promise<Payload | undefined> {
  if (from !== undefined && data !== undefined)
    throw new UsageFailure("--from and --data both give a payload: leave one out.");
  if (data !== undefined) return read(data, "--data");
  if (from === undefined) return undefined;
  const text = await readFile(from, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new UsageFailure(`The file ${from} can't be read (${error.code ?? "error"}).`);
  });
  return read(text, `The file ${from}`);
}
