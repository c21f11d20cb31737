import { UsageFailure } from "../failure.ts";
import { parsedJson, readJson } from "../json-file.ts";

type Payload = Record<string, unknown>;

const WANTED = 'It must be one JSON object, such as {"data": {}}.';

const payload = (value: unknown, where: string): Payload => {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Payload;
  throw new UsageFailure(`${where} holds no object. ${WANTED}`);
};

/** The payload that the options give; undefined where they give none. @errors UsageFailure */
export async function givenPayload(from: string | undefined, data: string | undefined): Promise<Payload | undefined> {
  if (from !== undefined && data !== undefined)
    throw new UsageFailure("--from and --data both give a payload: leave one out.");
  if (data !== undefined) return payload(parsedJson(data, "--data", WANTED), "--data");
  return from === undefined ? undefined : payload(await readJson(from, WANTED), `The file ${from}`);
}
