import type { Workspace } from "@parley/contract";
import type { LiveItem } from "../live/live-messages.ts";
import { showDesktopNotices } from "./desktop-notices.ts";
import { createNoticeElection, type ElectionMessage } from "./notice-election.ts";
import { noticeOf, type MessageNotification } from "./notice.ts";
import { notificationSetting } from "./settings.ts";
import { playSound } from "./sound.ts";

/** Time for the claims of other tabs. @units milliseconds */
const ELECTION_MS = 300;
/** Shortest time between two looks at what waits: more messages of a conversation are shown together. @units milliseconds */
const NOTIFY_PAUSE_MS = 1_000;
/** Shortest time between two sounds, in all tabs. @units milliseconds */
const SOUND_PAUSE_MS = 3_000;
/** More notices that wait for the election replace the oldest notices. */
const WAITING_MAX = 100;
const LAST_SOUND_KEY = "parley-last-sound";
const CONVERSATION_PATH = /\/conversations\/([^/]+)$/;

let lastFocusMs = document.hasFocus() ? Date.now() : 0;
addEventListener("focus", () => (lastFocusMs = Date.now()));

const channel = new BroadcastChannel("parley-notices");
const election = createNoticeElection({
  send: (message) => channel.postMessage(message),
  tab: crypto.getRandomValues(new Uint32Array(2)).join("-"),
  rank: () => (document.hasFocus() ? Number.MAX_SAFE_INTEGER : lastFocusMs),
});
channel.onmessage = ({ data }: MessageEvent<ElectionMessage>) => election.receive(data);

/** Whether the agent looks at the conversation in this tab. */
const isInView = ({ conversationId }: MessageNotification): boolean =>
  document.hasFocus() && CONVERSATION_PATH.exec(location.pathname)?.[1] === conversationId;

const idsOf = (notices: readonly MessageNotification[]): readonly string[] => notices.map(({ messageId }) => messageId);

/** -> false within the pause after another sound of any tab */
const mayPlay = (): boolean => {
  const now = Date.now();
  try {
    const last = Number(localStorage.getItem(LAST_SOUND_KEY));
    // A time in the future was stored before the clock of the device was set back.
    if (last <= now && now - last < SOUND_PAUSE_MS) return false;
    localStorage.setItem(LAST_SOUND_KEY, String(now));
  } catch {
    // Without storage each tab counts by itself.
  }
  return true;
};

let waiting: readonly MessageNotification[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;
let lastMs = 0;

const notify = (): void => {
  timer = undefined;
  lastMs = Date.now();
  const won = waiting.filter(({ messageId }) => election.won(messageId));
  waiting = [];
  if (won.length === 0) return;
  election.settle(idsOf(won));
  const { hasDesktop, hasSound, sound, volume } = notificationSetting.get();
  if (hasDesktop) showDesktopNotices(won);
  if (hasSound && mayPlay()) void playSound(sound, volume).catch(() => undefined);
};

/** Notifies the agent of messages by the desktop and by sound, as the agent chose. One tab of the browser does. */
export const notifyAgent = (items: readonly LiveItem[], workspace: Workspace): void => {
  const { level, hasDesktop, hasSound } = notificationSetting.get();
  if (level === "none" || !(hasDesktop || hasSound)) return;
  const notices = items.flatMap((item) => noticeOf(item, level, workspace.agent.agent_id) ?? []);
  if (notices.length === 0) return;
  const seen = notices.filter(isInView);
  if (seen.length > 0) election.settle(idsOf(seen));
  const unseen = notices.filter((notice) => !isInView(notice));
  if (unseen.length === 0) return;
  election.claim(idsOf(unseen));
  waiting = [...waiting, ...unseen].slice(-WAITING_MAX);
  timer ??= setTimeout(notify, Math.max(ELECTION_MS, lastMs + NOTIFY_PAUSE_MS - Date.now()));
};
