import type { InboxItem, ReplyTemplate, TextPosition } from "@parley/contract";
import { useId, useRef, type ReactNode } from "react";
import { flushSync } from "react-dom";
import { useEffect } from "../state/effects.ts";
import { useStore } from "../state/store.ts";
import { filledTemplate, placeholderValues } from "../templates/placeholders.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { useWorkspace } from "../workspace/workspace.ts";
import { AttachmentList } from "./attachment-list.tsx";
import { ComposerField } from "./composer-field.tsx";
import { activeComposer, elementStates, onElementClick } from "./composer-state.ts";
import styles from "./composer.module.css";
import { ComposerTools } from "./composer-tools.tsx";
import type { DraftContent } from "./draft-keeper.ts";
import { withInsertion, type EditedText } from "./insertion.ts";
import { composerMessages as texts } from "./messages.ts";
import { ModeSwitch } from "./mode-switch.tsx";
import { useDraft } from "./use-draft.ts";
import { useFileDrop } from "./use-file-drop.ts";
import { TEXT_MAX, useSubmit } from "./use-submit.ts";

interface ComposerProps {
  readonly item: InboxItem;
  /** Shows and sends a message. -> whether it was sent */
  readonly onSend: (content: DraftContent) => Promise<boolean>;
  /** Called when the agent changes the text. */
  readonly onTyping: () => void;
  /** Further buttons beside those of the composer. */
  readonly tools?: ReactNode;
}

/** The counter appears when this many characters are left. */
const COUNTER_FROM = 2_000;

/** Where the agent writes a reply or a private note. */
export const Composer = ({ item, onSend, onTyping, tools }: ComposerProps) => {
  const conversationId = item.conversation_id;
  const { agent, channels } = useWorkspace();
  const { keeper, uploads, content, hasOther, chooseMode } = useDraft(conversationId);
  const { text, parts, isPrivate } = content;
  const { submit, isAsking, problem, clearProblem } = useSubmit({
    ...{ conversationId, keeper, isPrivate, uploads, onSend },
  });
  const { editor, send, note } = useStore(elementStates);
  const field = useRef<HTMLTextAreaElement>(null);
  const problemId = useId();
  const { isOver, handlers } = useFileDrop((files) => uploads.add(files));

  const write = (next: string): void => {
    clearProblem();
    chooseMode(isPrivate);
    keeper.change({ text: next });
    // Customers are told who writes to them, and nothing about notes.
    if (!isPrivate) onTyping();
  };
  const put = ({ text: next, start, end }: EditedText): void => {
    // The field has the text before the cursor is placed in it.
    flushSync(() => write(next));
    field.current?.setSelectionRange(start, end);
  };
  const insert = (added: string, position: TextPosition): void => {
    const present = keeper.content.get().text;
    const { selectionStart = present.length, selectionEnd = present.length } = field.current ?? {};
    put(withInsertion({ text: present, start: selectionStart, end: selectionEnd }, added, position, TEXT_MAX));
  };
  /** Also after the list that the choice came from has given the focus back to its button, a frame after it has closed. */
  const focusField = (): void => {
    field.current?.focus();
    requestAnimationFrame(() => requestAnimationFrame(() => field.current?.focus()));
  };
  const insertTemplate = (template: ReplyTemplate, range?: { readonly start: number; readonly end: number }): void => {
    if (range) field.current?.setSelectionRange(range.start, range.end);
    insert(filledTemplate(template.text, placeholderValues(item, agent, channels)), "cursor");
    focusField();
  };

  // The next insertion goes into the draft of that mode.
  const switchMode = (next: boolean): void => flushSync(() => chooseMode(next));
  const toggleMode = (): void => switchMode(!isPrivate);
  const actions = { insert, submit, switchMode, toggleMode, focus: () => field.current?.focus() };
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    const handle = {
      conversationId,
      focus: () => latest.current.focus(),
      chooseMode: (next: boolean) => latest.current.switchMode(next),
      insertText: (added: string, position: TextPosition) => latest.current.insert(added, position),
      submit: () => latest.current.submit(),
    };
    activeComposer.set(handle);
    const ends = [
      onElementClick("editor", handle.focus),
      onElementClick("send", handle.submit),
      onElementClick("note", () => latest.current.toggleMode()),
    ];
    return () => {
      if (activeComposer.get() === handle) activeComposer.set(undefined);
      for (const end of ends) end();
    };
  }, [conversationId]);

  if (!editor.isVisible) return undefined;
  const left = TEXT_MAX - text.length;
  const isDisabled = !editor.isEnabled;
  const isEmpty = text.trim() === "" && parts.length === 0;
  return (
    <section
      className={styles.composer}
      data-note={isPrivate}
      data-over={isOver}
      aria-label={texts.composer}
      {...handlers}
    >
      <div className={styles.head}>
        {note.isVisible && (
          <ModeSwitch
            isPrivate={isPrivate}
            isDisabled={!note.isEnabled}
            hasOther={hasOther}
            onChange={(next) => {
              clearProblem();
              switchMode(next);
              field.current?.focus();
            }}
          />
        )}
      </div>
      <ComposerField
        {...{ field, text, isPrivate, isDisabled }}
        problemId={problem === undefined ? undefined : problemId}
        onChange={write}
        onSubmit={() => send.isEnabled && submit()}
        onFiles={uploads.add}
        onTemplate={insertTemplate}
      />
      <AttachmentList
        parts={parts}
        uploads={uploads}
        onRemove={(part) => keeper.change({ parts: parts.filter((each) => each !== part) })}
      />
      {problem !== undefined && (
        <p id={problemId} role="alert" className={styles.problem}>
          <Icon name="warning" />
          {problem}
        </p>
      )}
      <div className={styles.tools}>
        <ComposerTools
          isDisabled={isDisabled}
          onFiles={uploads.add}
          onEmoji={(emoji) => {
            insert(emoji, "cursor");
            focusField();
          }}
          onTemplate={insertTemplate}
        />
        {tools}
        <span className={styles.space} />
        {left < COUNTER_FROM && (
          <span className={styles.counter} data-over={left < 0} role="status">
            {left < 0 ? texts.over(-left) : texts.left(left)}
          </span>
        )}
        {send.isVisible && (
          <Button
            variant="primary"
            icon={isPrivate ? "note" : "send"}
            isDisabled={isEmpty || isAsking || left < 0 || !send.isEnabled || isDisabled}
            onPress={submit}
          >
            {isPrivate ? texts.sendNote : texts.send}
          </Button>
        )}
      </div>
      {isOver && <p className={styles.drop}>{texts.dropHere}</p>}
    </section>
  );
};
