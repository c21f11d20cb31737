/** @jsxImportSource preact */
import type { Ref } from "preact";
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useDisplay } from "../elements/display.ts";
import { IconButton } from "../elements/icon-button.tsx";
import { Icon } from "../elements/icon.tsx";
import { VALUES } from "./contract-values.ts";
import { EmojiButton } from "./emoji-button.tsx";
import type { Thread, ThreadKey } from "../model/panel-model.ts";

export interface ComposerHandle {
  focus(): void;
}

interface ComposerProps {
  readonly ref: Ref<ComposerHandle>;
  readonly threadKey: ThreadKey;
  readonly thread: Thread;
  readonly recentEmojis: readonly string[] | undefined;
  readonly isVisible: boolean;
  /** Whether the visitor has opened the panel, rather than the page by itself. */
  readonly isFocused: boolean;
}

/** Devices on which the focus of a field opens a keyboard over half of the screen: the field gets the focus by a touch only. */
const hasScreenKeyboard = (): boolean => matchMedia("(pointer: coarse)").matches;

/** The field for the message, and the button for files. */
export const Composer = ({ ref, threadKey, thread, recentEmojis, isVisible, isFocused }: ComposerProps) => {
  const { texts, actions } = useDisplay();
  const field = useRef<HTMLTextAreaElement>(null);
  const files = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(thread.draft);
  const latest = useRef(thread.draft);
  /** Drafts that this field has reported and that may come back late. A different draft comes from the page of the site or another tab. */
  const reported = useRef(new Set<string>());
  const focus = () => {
    if (!hasScreenKeyboard()) field.current?.focus();
  };
  useImperativeHandle(ref, () => ({ focus }), []);

  useEffect(() => {
    if (thread.draft === latest.current) reported.current.clear();
    else if (!reported.current.has(thread.draft)) {
      latest.current = thread.draft;
      setText(thread.draft);
    }
  }, [thread.draft]);

  useEffect(() => {
    if (isVisible && (isFocused || document.hasFocus())) focus();
  }, [isVisible]);

  // The field grows with its text in browsers that don't do it by themselves.
  useLayoutEffect(() => {
    const element = field.current;
    if (!element || CSS.supports("field-sizing", "content")) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  }, [text]);

  const change = (draft: string): void => {
    setText(draft);
    latest.current = draft;
    reported.current.add(draft);
    actions.setDraft(threadKey, draft);
  };
  const send = (): void => {
    if (text.trim() === "") return;
    actions.send(threadKey, { text });
    change("");
    field.current?.focus();
  };
  const insert = (emoji: string): void => {
    const element = field.current;
    if (!element) return;
    element.focus();
    if (text.length + emoji.length > VALUES.textCharactersMax) return;
    element.setRangeText(emoji, element.selectionStart, element.selectionEnd, "end");
    change(element.value);
  };
  const attach = (chosen: FileList | null | undefined): void => {
    if (chosen && chosen.length > 0) actions.attach(threadKey, [...chosen]);
  };

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <input
        ref={files}
        type="file"
        multiple
        hidden
        onChange={({ currentTarget }) => {
          attach(currentTarget.files);
          // The same file can be chosen again.
          currentTarget.value = "";
        }}
      />
      <IconButton icon="attach" label={texts.attach} onClick={() => files.current?.click()} />
      <EmojiButton recent={recentEmojis} onInsert={insert} />
      <textarea
        ref={field}
        class="messageField"
        rows={1}
        aria-label={texts.message}
        placeholder={texts.messageField}
        enterkeyhint="send"
        autoComplete="off"
        // An empty field has the direction of its placeholder.
        dir={text === "" ? undefined : "auto"}
        maxLength={VALUES.textCharactersMax}
        value={text}
        onInput={({ currentTarget }) => {
          change(currentTarget.value);
          actions.typing(threadKey);
        }}
        onKeyDown={(event) => {
          // While an input method composes a word, Enter chooses the word. Safari reports that Enter by the key code 229 only.
          if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
          event.preventDefault();
          send();
        }}
        onPaste={(event) => {
          const pasted = event.clipboardData?.files;
          if (!pasted || pasted.length === 0) return;
          event.preventDefault();
          attach(pasted);
        }}
      />
      <button type="submit" class="sendButton" aria-label={texts.send} title={texts.send} disabled={text.trim() === ""}>
        <Icon name="send" />
      </button>
    </form>
  );
};
