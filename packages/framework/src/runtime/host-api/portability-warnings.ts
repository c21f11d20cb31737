import { memberOf, type Question } from "@parley/contract";
import type { Log } from "@parley/telemetry";

/**
 * Limits of other hosts of such apps, which this one does not have.
 * @shape aheadMs: how far ahead of the present a schedule begins at least; answerBytes: JSON of a function's answer
 */
const ELSEWHERE = { aheadMs: 5 * 60_000, recurringSchedules: 1, answerBytes: 100 * 1024 };

/** Warns of what works here and is refused by other hosts. */
export interface PortabilityWarnings {
  /** Takes note of a question of the app that was answered. */
  answered(question: Question): void;
  /** Takes note of the answer of a function. */
  returned(name: string, data: unknown): void;
}

/** Each warning is logged once. @shape now: by which schedules are due */
export const createPortabilityWarnings = (log: Log, now: () => Date): PortabilityWarnings => {
  const logged = new Set<string>();
  const recurring = new Set<unknown>();
  const warn = (text: string): void => {
    if (logged.has(text)) return;
    logged.add(text);
    log(text, { level: "warn" });
  };
  const scheduled = (options: unknown): void => {
    const at = memberOf(options, "schedule_at");
    if (typeof at === "string" && Date.parse(at) - now().getTime() < ELSEWHERE.aheadMs)
      warn("A schedule begins less than 5 minutes ahead: other hosts refuse it.");
    if (memberOf(options, "repeat")) recurring.add(memberOf(options, "name"));
    if (recurring.size > ELSEWHERE.recurringSchedules)
      warn("The app has more than one recurring schedule: other hosts permit one for each installation.");
  };
  return {
    answered(question) {
      if (question.of === "db.set" && JSON.stringify(question.value) === "{}")
        warn("$db.set stored an empty object: other hosts refuse it.");
      if (question.of !== "schedule") return;
      if (question.action === "delete") recurring.delete(memberOf(question.options, "name"));
      if (question.action === "create" || question.action === "update") scheduled(question.options);
    },
    returned(name, data) {
      const text = JSON.stringify(data) as string | undefined;
      if (text !== undefined && Buffer.byteLength(text) > ELSEWHERE.answerBytes)
        warn(`The function '${name}' returned more than 100 KB: other hosts refuse it.`);
    },
  };
};
