import type { InstallSave } from "@parley/contract";
import type { FormField } from "./field.ts";
import type { Notice } from "./notice.ts";
import type { Server } from "./server.ts";

export const STORED = "App installation parameters have been successfully stored. You can now proceed to test the app.";
export const FAILED = "Validation failed.";

export interface SaveDeps {
  readonly fields: readonly FormField[];
  readonly notice: Notice;
  readonly server: Server;
}

const formOf = (fields: readonly FormField[]): InstallSave => ({
  values: Object.fromEntries(fields.map((field) => [field.key, field.value()])),
  attributes: Object.fromEntries(
    fields.flatMap((field) => {
      const attributes = field.attributes();
      return attributes ? [[field.key, attributes]] : [];
    }),
  ),
});

/** Asks every field, then the server, and says how it went; true when the values are kept. */
export const save = async ({ fields, notice, server }: SaveDeps): Promise<boolean> => {
  const wrong = () => fields.filter((field) => field.error() !== undefined);
  await Promise.all(fields.map((field) => field.settle()));
  for (const field of fields) field.recheck();
  if (wrong().length > 0) {
    notice.bad(FAILED, wrong());
    return false;
  }
  const answer = await server.save(formOf(fields));
  if (answer.ok) {
    for (const field of fields) field.saved();
    notice.good(STORED);
    return true;
  }
  for (const field of fields) {
    const message = Object.hasOwn(answer.errors, field.key) ? answer.errors[field.key] : undefined;
    if (message !== undefined) field.fail(message);
  }
  notice.bad(answer.message, wrong());
  return false;
};
