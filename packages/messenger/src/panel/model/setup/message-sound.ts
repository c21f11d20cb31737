/** Two tones, the second one higher. @units pitch: hertz; start and length: seconds */
const TONES = [
  { pitch: 587, start: 0, length: 0.2 },
  { pitch: 784, start: 0.13, length: 0.4 },
] as const;
const VOLUME = 0.2;
/** @units seconds */
const FADE_IN_S = 0.01;
/** Time in which a tab that shows the message reports that it was read. @units milliseconds */
const READ_MS = 300;
/** Time after which the next sound may follow. @units milliseconds */
const SOUND_MS = 600;
/** Events in which browsers allow a page to begin with sounds. */
const GESTURES = ["pointerup", "keydown"] as const;

interface MessageSoundDeps {
  readonly isWanted: () => boolean;
  /** Shared by all tabs of the site, of which one plays. */
  readonly lockName: string;
}

/** The sound for replies. It is made by the browser, and stays silent until the visitor has used the panel in this page, as browsers demand. */
export interface MessageSound {
  /** Plays for a message that is unread when it arrives, and is not read in another tab at once. */
  readonly announce: (isUnread: () => boolean) => void;
  /** Plays at once: the visitor has chosen the sound. */
  readonly play: () => void;
  readonly stop: () => void;
}

export const createMessageSound = ({ isWanted, lockName }: MessageSoundDeps): MessageSound => {
  const listening = new AbortController();
  let context: AudioContext | undefined;

  /** To be called in a gesture: a context that begins elsewhere is silent, and the browser's console says so. */
  const unlock = (): void => {
    if (context || !isWanted() || !("AudioContext" in globalThis) || navigator.userActivation?.isActive === false)
      return;
    context = new AudioContext();
  };
  for (const name of GESTURES) addEventListener(name, unlock, { capture: true, signal: listening.signal });

  const play = async (audio: AudioContext): Promise<void> => {
    await audio.resume();
    for (const { pitch, start, length } of TONES) {
      const begin = audio.currentTime + start;
      const oscillator = new OscillatorNode(audio, { frequency: pitch });
      const gain = new GainNode(audio, { gain: 0 });
      gain.gain.setValueAtTime(0, begin);
      gain.gain.linearRampToValueAtTime(VOLUME, begin + FADE_IN_S);
      gain.gain.exponentialRampToValueAtTime(0.0001, begin + length);
      oscillator.connect(gain).connect(audio.destination);
      oscillator.start(begin);
      oscillator.stop(begin + length);
    }
    await new Promise((resolve) => setTimeout(resolve, SOUND_MS));
    // A context that runs keeps the device's output awake.
    await audio.suspend();
  };

  const playInOneTab = async (audio: AudioContext): Promise<void> => {
    if (!("locks" in navigator)) return play(audio);
    await navigator.locks.request(lockName, { ifAvailable: true }, (lock) => (lock ? play(audio) : undefined));
  };

  return {
    announce(isUnread) {
      if (!isWanted() || !isUnread()) return;
      setTimeout(() => {
        if (context && isUnread()) playInOneTab(context).catch(() => undefined);
      }, READ_MS);
    },
    play() {
      unlock();
      if (context) play(context).catch(() => undefined);
    },
    stop() {
      listening.abort();
      void context?.close();
    },
  };
};
