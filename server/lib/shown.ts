import { DIGEST_TARGETS, type Settings } from "./settings.ts";

/** Which parameters apply with these settings: the others are neither shown nor checked. By key; an absent parameter always applies. */
export const shownOf = ({ leads, afterHours, followUp, csat, syncIn, outbound, syncOut, digest }: Settings) => ({
  lead_consent: leads.isOn,
  lead_country: leads.isOn,

  hours: afterHours.isOn,
  holidays: afterHours.isOn,
  closed_until: afterHours.isOn,
  away_message: afterHours.isOn,
  opening_message: afterHours.isOn,
  queue_group: afterHours.isOn,

  nudge_hours: followUp.isOn,
  nudge_message: followUp.isOn,
  resolve_hours: followUp.isOn,

  csat_question: csat.isOn,
  csat_low: csat.isOn,
  escalation_group: csat.isOn && csat.low > 0,

  outbound_events: syncIn.isOn,
  outbound_from: syncIn.isOn && outbound.events.trim() !== "",
  outbound_namespace: syncIn.isOn && outbound.events.trim() !== "",

  sync_url: syncOut.isOn,
  sync_secret: syncOut.isOn,
  sync_events: syncOut.isOn,
  sync_body: syncOut.isOn,

  digest_hour: digest.isOn,
  digest_to: digest.isOn,
  digest_conversation: digest.isOn && digest.target === DIGEST_TARGETS[0],
});
export type Optional = keyof ReturnType<typeof shownOf>;

/** Parameters that are required while they are shown. */
export const REQUIRED_WHEN_SHOWN: readonly Optional[] = [
  "lead_consent",
  "lead_country",
  "hours",
  "away_message",
  "nudge_hours",
  "nudge_message",
  "resolve_hours",
  "csat_question",
  "outbound_from",
  "sync_url",
  "digest_to",
  "digest_conversation",
];
