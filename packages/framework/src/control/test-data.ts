import { join } from "node:path";
import { isObject } from "@parley/contract";
import { readAppFileText } from "../package/files/app-file.ts";
import { parseAppJson } from "../package/model/json.ts";

interface TestData {
  /** Path from the app's folder, with `/`. */
  readonly file: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Test data of the app that cannot be used. The message addresses the app's author. */
export class TestDataUnusable extends Error {
  override readonly name = "TestDataUnusable";
}

/** Rejects names that could form a path outside the folder. */
const isPlainName = (name: string): boolean => /^\w[\w.-]*$/.test(name);

/** Candidate files of a payload, in order of precedence. */
const filesOf = (module: string, event: string): string[] =>
  ["server/test_data", "test_data"].flatMap((folder) => [
    join(folder, `${event}.json`),
    ...(isPlainName(module) ? [join(folder, module, `${event}.json`)] : []),
  ]);

/**
 * Returns the payload that the app's author wrote for an event or a function, or undefined if there is none.
 * @errors TestDataUnusable
 */
export async function readTestData(folder: string, module: string, event: string): Promise<TestData | undefined> {
  if (!isPlainName(event)) return undefined;
  for (const file of filesOf(module, event)) {
    const text = await readAppFileText(folder, file);
    if (text === undefined) continue;
    const json = parseAppJson(file, text);
    if ("findings" in json) {
      const [first] = json.findings;
      throw new TestDataUnusable(`${file}:${first?.line ?? 1}: ${first?.message ?? "The file is not JSON."}`);
    }
    const { value } = json;
    if (!isObject(value)) throw new TestDataUnusable(`${file}: a payload is an object, such as {"data": {}}.`);
    return { file, payload: value };
  }
  return undefined;
}
