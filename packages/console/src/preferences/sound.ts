import type { SoundName } from "./notification-choice.ts";

interface Tone {
  /** @units hertz */
  readonly pitch: number;
  /** @units seconds from the beginning */
  readonly start: number;
  /** @units seconds */
  readonly length: number;
}

interface Sound {
  readonly wave: OscillatorType;
  readonly tones: readonly Tone[];
}

const SOUNDS: Readonly<Record<SoundName, Sound>> = {
  soft: {
    wave: "sine",
    tones: [
      { pitch: 523, start: 0, length: 0.18 },
      { pitch: 659, start: 0.12, length: 0.35 },
    ],
  },
  bright: {
    wave: "triangle",
    tones: [
      { pitch: 880, start: 0, length: 0.12 },
      { pitch: 1_175, start: 0.1, length: 0.25 },
    ],
  },
};

/** A sound that the browser allows later than this, such as after a click, is left out. @units milliseconds */
const LATE_MS = 400;
/** @units seconds */
const FADE_IN_S = 0.01;

let context: AudioContext | undefined;
let playing: readonly OscillatorNode[] = [];

/** Ends the sound that is heard at present. */
export const stopSound = (): void => {
  for (const oscillator of playing) oscillator.stop();
  playing = [];
};

const start = (audio: AudioContext, { wave, tones }: Sound, volume: number): void => {
  stopSound();
  const now = audio.currentTime;
  playing = tones.map(({ pitch, start: offset, length }) => {
    const oscillator = new OscillatorNode(audio, { type: wave, frequency: pitch });
    const gain = new GainNode(audio, { gain: 0 });
    const begin = now + offset;
    gain.gain.setValueAtTime(0, begin);
    gain.gain.linearRampToValueAtTime(volume * 0.6, begin + FADE_IN_S);
    gain.gain.exponentialRampToValueAtTime(0.0001, begin + length);
    oscillator.connect(gain).connect(audio.destination);
    oscillator.start(begin);
    oscillator.stop(begin + length);
    return oscillator;
  });
};

/** Plays a sound, if the browser allows it: pages that nobody has clicked yet are silent. @units volume: 0 to 1 */
export const playSound = async (name: SoundName, volume: number): Promise<void> => {
  if (volume <= 0 || !("AudioContext" in globalThis)) return;
  context ??= new AudioContext();
  const asked = Date.now();
  await context.resume();
  if (Date.now() - asked < LATE_MS) start(context, SOUNDS[name], volume);
};
