import type { HistoricalMetric } from "@parley/contract";
import type { ScheduledPayload, Schedules } from "@parley/framework/sdk";
import { messageMarkOf, privateNote } from "./lib/bot-message.ts";
import {
  averageOf,
  dayBefore,
  digestText,
  nextReportTime,
  type Figures,
  countDailyEvent,
  dailyCountsOf,
} from "./lib/digest.ts";
import { parseExternalUrl } from "./lib/external-system.ts";
import { oncePerKey } from "./lib/records.ts";
import { cancelSchedule, moveSchedule, scheduledTimeOf } from "./lib/schedules.ts";
import type { Settings } from "./lib/settings.ts";
import type { UseCaseDeps, UseCaseEvent, UseCaseInput, UseCase } from "./lib/use-case.ts";
import { usableZone, zoneTimeOf } from "./lib/time-zone.ts";

/** Name and kind of the schedule of the next report. */
export const DIGEST_SCHEDULE = "digest";
/** Maximum age of a day for which a report is made after the host was stopped. @units milliseconds */
const REPORT_AGE_MS_MAX = 3 * 24 * 3_600_000;

/** Schedules the next report; `at` is the time that it is meant for, however late it is made. */
const scheduleNext = (schedule: Schedules, { digest, timeZone }: Settings, after: Date) => {
  const at = nextReportTime(after, digest.hour, zoneTimeOf(usableZone(timeZone))).toISOString();
  return moveSchedule(schedule, { name: DIGEST_SCHEDULE, data: { kind: DIGEST_SCHEDULE, at }, schedule_at: at });
};

/** Schedules the next report by the settings, or no report: at each installation and each change of the settings. */
export async function scheduleDigest(schedule: Schedules, settings: Settings, now: Date): Promise<void> {
  if (!settings.digest.isOn) return cancelSchedule(schedule, DIGEST_SCHEDULE);
  const scheduledTime = await scheduledTimeOf(schedule, DIGEST_SCHEDULE);
  // A report that is due by now has not been made yet: it is made at once, and schedules the next report.
  if (scheduledTime && scheduledTime <= now)
    await schedule.update({ name: DIGEST_SCHEDULE, schedule_at: now.toISOString() });
  else await scheduleNext(schedule, settings, now);
}

const figuresOf = async (
  { day, start, end }: ReturnType<typeof dayBefore>,
  { account, db }: UseCaseDeps,
): Promise<Figures> => {
  const metric = async (name: HistoricalMetric): Promise<number | undefined> => {
    const range = { start: start.toISOString(), end: end.toISOString() };
    const { data } = await account.metric({ metric: name, ...range, aggregator: "median" });
    const value = Number(data[0]?.series[0]?.values[0]?.value ?? "null");
    return Number.isNaN(value) ? undefined : value;
  };
  const [begun, resolved, firstResponse, resolution] = await Promise.all([
    metric("conversation_metrics.created_interactions"),
    metric("conversation_metrics.resolved_interactions"),
    metric("team_performance.first_response_time"),
    metric("team_performance.resolution_time"),
  ]);
  const [ratings, leads] = await Promise.all([dailyCountsOf(db, day, "rating"), dailyCountsOf(db, day, "lead")]);
  return { begun: begun ?? 0, resolved: resolved ?? 0, firstResponse, resolution, ratings, leads: leads.length };
};

/** Posts the report as a private note in the conversation that the admin has chosen. */
const postToConversation = async (id: string, text: string, { account, log, settings }: UseCaseDeps) => {
  const { conversation } = settings.digest;
  if (!conversation)
    return log.error("Daily report not posted: no conversation is set. Set one on the installation page.");
  const present = await account.conversation(conversation);
  if (!present.ok)
    return log.error(
      `Daily report not posted: conversation ${conversation} can't be read (${present.status}). Set another address on the installation page.`,
    );
  if ((await account.latestMessages(conversation)).some((message) => messageMarkOf(message) === id)) return;
  const sent = await account.send(conversation, privateNote(settings, id, text), id);
  if (!sent.ok)
    log.error(`Daily report not posted to conversation ${conversation}: the account refused it (${sent.status}).`);
};

/** Sends the figures and the text to the other system. */
const postToExternalSystem = async (
  id: string,
  day: string,
  figures: Figures,
  { account, log, settings, now }: UseCaseDeps,
) => {
  const address = parseExternalUrl(settings.syncOut.url);
  if ("problem" in address)
    return log.error(
      `Daily report not sent to the other system: ${address.problem} Correct the address on the installation page.`,
    );
  const { begun, resolved, firstResponse, resolution, ratings, leads } = figures;
  const report = {
    day,
    time_zone: usableZone(settings.timeZone),
    conversations_begun: begun,
    conversations_resolved: resolved,
    first_response_seconds: firstResponse ?? null,
    resolution_seconds: resolution ?? null,
    ratings: ratings.length,
    rating_average: averageOf(ratings) ?? null,
    leads,
    text: digestText(day, figures),
  };
  await account.postToExternalSystem(
    { ...address, id },
    JSON.stringify({ id, event: "report.made", time: now.toISOString(), report }),
  );
};

const postReport = async (at: Date, deps: UseCaseDeps): Promise<void> => {
  const { db, log, settings } = deps;
  const range = dayBefore(at, zoneTimeOf(usableZone(settings.timeZone)));
  const id = `digest-${range.day}`;
  await oncePerKey(db, id, async () => {
    const figures = await figuresOf(range, deps);
    if (settings.digest.target === "A conversation") await postToConversation(id, digestText(range.day, figures), deps);
    else await postToExternalSystem(id, range.day, figures, deps);
    log.info(`Finished the daily report of ${range.day}.`);
  });
};

/**
 * Posts the report of the previous day and schedules the next report: a report that fails or is postponed does not prevent later reports.
 * Days begin and end at midnight in the configured time zone.
 */
export const dailyReport: UseCase<ScheduledPayload> = {
  name: "report",
  title: "Daily report",
  async run({ data }, deps) {
    const { schedule, settings, now } = deps;
    if (!settings.digest.isOn) return;
    const at = typeof data["at"] === "string" ? new Date(data["at"]) : now;
    try {
      await postReport(at, deps);
    } finally {
      await scheduleNext(schedule, settings, new Date(Math.max(at.getTime(), now.getTime() - REPORT_AGE_MS_MAX)));
    }
  },
};

/** Counts, for the report, events that the account does not report. */
export const countEvents: UseCase<UseCaseInput & { readonly happening: UseCaseEvent }> = {
  name: "count",
  title: "Daily count",
  async run({ happening }, { db, log, settings, now }) {
    const { day } = zoneTimeOf(usableZone(settings.timeZone)).at(now);
    const [what, id, value] =
      happening.kind === "rated"
        ? (["rating", happening.interaction_id, happening.rating] as const)
        : (["lead", `${happening.conversation_id} ${happening.field}`, 1] as const);
    if (!(await countDailyEvent(db, day, what, id, value)))
      log.warn(`A ${what} is missing in the daily report of ${day}: the record of counted events is full.`);
  },
};
