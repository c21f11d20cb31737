/** Of which messages the agent is notified: none; of conversations assigned to the agent; also of those assigned to nobody; of all. */
export const NOTICE_LEVELS = ["none", "mine", "unassigned", "all"] as const;
export type NoticeLevel = (typeof NOTICE_LEVELS)[number];

export const SOUNDS = ["soft", "bright"] as const;
export type SoundName = (typeof SOUNDS)[number];

interface NotificationChoice {
  readonly level: NoticeLevel;
  /** Messages of the desktop; the browser asks for permission once. */
  readonly hasDesktop: boolean;
  readonly hasSound: boolean;
  readonly sound: SoundName;
  /** @units 0 to 1 */
  readonly volume: number;
}

export const DEFAULT_CHOICE: NotificationChoice = {
  level: "unassigned",
  hasDesktop: false,
  hasSound: false,
  sound: "soft",
  volume: 0.5,
};

const memberOf = <T extends string>(value: unknown, values: readonly T[], otherwise: T): T =>
  values.find((each) => each === value) ?? otherwise;
const flagOf = (value: unknown, otherwise: boolean): boolean => (typeof value === "boolean" ? value : otherwise);
const volumeOf = (value: unknown): number =>
  typeof value === "number" && value >= 0 && value <= 1 ? value : DEFAULT_CHOICE.volume;

const recordOf = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
};

/** -> the choice of a stored text, with the default for each missing or damaged member */
export const parseNotificationChoice = (text: string | null): NotificationChoice => {
  const { level, hasDesktop, hasSound, sound, volume } = text === null ? {} : recordOf(text);
  return {
    level: memberOf(level, NOTICE_LEVELS, DEFAULT_CHOICE.level),
    hasDesktop: flagOf(hasDesktop, DEFAULT_CHOICE.hasDesktop),
    hasSound: flagOf(hasSound, DEFAULT_CHOICE.hasSound),
    sound: memberOf(sound, SOUNDS, DEFAULT_CHOICE.sound),
    volume: volumeOf(volume),
  };
};
