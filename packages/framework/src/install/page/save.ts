import type { InstallSave } from "@parley/contract";
import type { FormField, SentField } from "./field.ts";
import { NOT_SAVED, type Notice } from "./notice.ts";
import type { Server } from "./server.ts";

export const FAILED = "Validation failed.";

export interface SaveDeps {
  readonly fields: readonly FormField[];
  readonly notice: Notice;
  readonly server: Server;
}

/** What the host is given: no value for a field whose secure value it has. */
export const formOf = (
  sent: readonly SentField[],
): Required<Pick<InstallSave, "values" | "attributes" | "removed">> => ({
  values: Object.fromEntries(sent.flatMap(({ key, value }) => (value === undefined ? [] : [[key, value]]))),
  attributes: Object.fromEntries(sent.flatMap(({ key, attributes }) => (attributes ? [[key, attributes]] : []))),
  removed: sent.flatMap(({ key, isRemoved }) => (isRemoved ? [key] : [])),
});

/** Asks every field, then the server, and says how it went; true when the values are kept. */
export const save = async ({ fields, notice, server }: SaveDeps): Promise<boolean> => {
  const wrong = () => fields.filter((field) => field.error() !== undefined);
  await Promise.all(fields.map((field) => field.settle()));
  for (const field of fields) field.recheck();
  if (wrong().length > 0) {
    notice.wrong(FAILED, wrong());
    return false;
  }
  const sent = fields.map((field) => field.send());
  const answer = await server.save(formOf(sent));
  if (answer.ok) {
    for (const one of sent) one.saved();
    notice.saved({
      saved: sent.flatMap(({ label, isChanged }) => (isChanged ? [label] : [])),
      later: fields.flatMap((field) => (field.isChanged() ? [field.label()] : [])),
    });
    return true;
  }
  for (const field of fields) {
    const message = Object.hasOwn(answer.errors, field.key) ? answer.errors[field.key] : undefined;
    if (message !== undefined) field.fail(message);
  }
  if (wrong().length > 0) notice.wrong(answer.message, wrong());
  else notice.failed(NOT_SAVED, answer.message);
  return false;
};
