import type { JsonSchema } from "./described.ts";
import { iparamsSchema } from "./iparams-schema.ts";
import { manifestSchema } from "./manifest-schema.ts";
import { requestsSchema } from "./requests-schema.ts";

/** JSON Schemas of an app's files, by the name of the file that holds each: for the completion of an editor. */
export const editorSchemas = (): Readonly<Record<string, JsonSchema>> => ({
  "manifest.schema.json": manifestSchema(),
  "iparams.schema.json": iparamsSchema(),
  "requests.schema.json": requestsSchema(),
});
