import { isRatingClick } from "./lib/csat-answer.ts";
import { recordDecision } from "./lib/decision-log.ts";
import { parseExternalUrl } from "./lib/external-system.ts";
import { parseSyncBody } from "./lib/sync-body.ts";
import { syncMessageOf, type SyncOutEvent, type SyncMessage } from "./lib/sync-message.ts";
import { oncePerKeyLocked } from "./lib/records.ts";
import type { UseCaseDeps, UseCase } from "./lib/use-case.ts";
import { templateViewOf } from "./lib/template-view.ts";

/** -> the body by the admin's template, undefined if the template can't be parsed */
const renderBody = ({ settings, now, log }: UseCaseDeps, message: SyncMessage): string | undefined => {
  if (settings.syncOut.body.trim() === "") return JSON.stringify(message);
  const template = parseSyncBody(settings.syncOut.body);
  if (!template.ok) {
    const [{ line, message: problem } = { line: 1, message: "" }] = template.problems;
    return void log.error(
      `Event not sent to the other system: line ${line} of the posted form: ${problem} Correct it on the installation page.`,
    );
  }
  const { user, channel, conversation, id, event: name, time, rating, changes } = message;
  return template.render(
    templateViewOf(settings, { user, channel, conversation }, now, { event: { id, name, time }, rating, changes }),
  );
};

/** Sends events to the admin's own system, each once. */
export const syncOut: UseCase<SyncOutEvent> = {
  name: "sync-out",
  title: "Outgoing sync",
  async run(event, deps) {
    const { account, db, log, settings, now } = deps;
    if (!settings.syncOut.isOn) return;
    const found = syncMessageOf(event);
    if (!found || !settings.syncOut.events.includes(found.kind)) return;
    const { kind, message } = found;
    const resolvedInteraction = kind === "Resolved conversations" ? message.conversation?.interaction_id : undefined;
    if (resolvedInteraction !== undefined && (await isRatingClick(db, resolvedInteraction))) return;
    const address = parseExternalUrl(settings.syncOut.url);
    if ("problem" in address)
      return log.error(
        `Event not sent to the other system: ${address.problem} Correct the address on the installation page.`,
      );
    const body = renderBody(deps, message);
    if (body === undefined) return;

    await oncePerKeyLocked(db, message.id, async () => {
      await account.postToExternalSystem({ ...address, id: message.id }, body);
      log.info(`Sent ${message.event} (${message.id}) to the other system.`);
      const conversation_id = message.conversation?.conversation_id;
      if (conversation_id)
        await recordDecision(db, conversation_id, message.id, {
          at: now.toISOString(),
          did: `Told the other system: ${message.event}.`,
        });
    });
  },
};
