import { isClick } from "./lib/csat-answer.ts";
import { note } from "./lib/decision-log.ts";
import { outsideOf } from "./lib/external-system.ts";
import { parseSyncBody } from "./lib/sync-body.ts";
import { syncMessageOf, type SyncOutEvent, type SyncMessage } from "./lib/sync-message.ts";
import { onceInOrder } from "./lib/records.ts";
import type { UseCaseDeps, UseCase } from "./lib/use-case.ts";
import { templateViewOf } from "./lib/template-view.ts";

/** -> the body by the admin's template, undefined if the template can't be parsed */
const bodyOf = ({ settings, now, log }: UseCaseDeps, telling: SyncMessage): string | undefined => {
  if (settings.syncOut.body.trim() === "") return JSON.stringify(telling);
  const form = parseSyncBody(settings.syncOut.body);
  if (!form.ok) {
    const [{ line, message } = { line: 1, message: "" }] = form.problems;
    return void log.error(`Nothing is told outside: line ${line} of the form of what is posted: ${message}`);
  }
  const { user, channel, conversation, id, event: name, time, rating, changes } = telling;
  return form.render(
    templateViewOf(settings, { user, channel, conversation }, now, { event: { id, name, time }, rating, changes }),
  );
};

/** Sends events to the admin's own system, each once. */
export const syncOut: UseCase<SyncOutEvent> = {
  name: "sync-out",
  async run(event, deps) {
    const { account, db, log, settings, now } = deps;
    if (!settings.syncOut.isOn) return;
    const found = syncMessageOf(event);
    if (!found || !settings.syncOut.events.includes(found.of)) return;
    const { of, telling } = found;
    const ended = of === "Resolved conversations" ? telling.conversation?.interaction_id : undefined;
    if (ended !== undefined && (await isClick(db, ended))) return;
    const address = outsideOf(settings.syncOut.url);
    if ("problem" in address) return log.error(`Nothing is told outside: ${address.problem}`);
    const body = bodyOf(deps, telling);
    if (body === undefined) return;

    await onceInOrder(db, telling.id, async () => {
      await account.tellOutside({ ...address, id: telling.id }, body);
      log.info(`Told the outside address of ${telling.event} (${telling.id}).`);
      const conversation_id = telling.conversation?.conversation_id;
      if (conversation_id)
        await note(db, conversation_id, telling.id, {
          at: now.toISOString(),
          did: `Told the other system: ${telling.event}.`,
        });
    });
  },
};
