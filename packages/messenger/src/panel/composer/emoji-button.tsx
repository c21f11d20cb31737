/** @jsxImportSource preact */
import { useRef, useState } from "preact/hooks";
import { useDisplay } from "../elements/display.ts";
import { IconButton } from "../elements/icon-button.tsx";
import type { EmojiPicker } from "./emoji-picker.tsx";

/** Emojis that are offered again. */
const RECENT_MAX = 8;

interface EmojiButtonProps {
  /** The last first. */
  readonly recent: readonly string[] | undefined;
  readonly onInsert: (emoji: string) => void;
}

/** Opens the emojis, which are a file of their own. */
export const EmojiButton = ({ recent = [], onInsert }: EmojiButtonProps) => {
  const { texts, actions } = useDisplay();
  const [picker, setPicker] = useState<{ readonly View: typeof EmojiPicker }>();
  const button = useRef<HTMLButtonElement>(null);
  const open = (): void =>
    void import("./emoji-picker.tsx").then(({ EmojiPicker: View }) => setPicker({ View })).catch(() => undefined);
  const leave = (): void => setPicker(undefined);
  const close = (): void => {
    leave();
    button.current?.focus();
  };
  return (
    // The button keeps the focus where it is: a press on it closes what is open.
    <div class="emojiArea" onPointerDown={(event) => picker && event.preventDefault()}>
      <IconButton
        icon="emoji"
        label={texts.emoji}
        buttonRef={button}
        isExpanded={picker !== undefined}
        onClick={() => (picker ? close() : open())}
      />
      {picker && (
        <picker.View
          recent={recent}
          onClose={close}
          onLeave={leave}
          onChoose={(emoji) => {
            leave();
            actions.setPreferences({ recentEmojis: [...new Set([emoji, ...recent])].slice(0, RECENT_MAX) });
            onInsert(emoji);
          }}
        />
      )}
    </div>
  );
};
