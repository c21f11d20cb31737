import type { ReplyTemplate } from "@parley/contract";
import { useQuery } from "@tanstack/react-query";
import { useId, useState, type KeyboardEvent, type RefObject } from "react";
import { enterSendsSetting } from "../preferences/settings.ts";
import { useLayoutEffect } from "../state/effects.ts";
import { matchingTemplates } from "../templates/matching.ts";
import { templatesQuery } from "../templates/templates-query.ts";
import { focusStart } from "../ui/focus-keeper.ts";
import styles from "./composer.module.css";
import { slashWordAt, type EditedText, type SlashWord } from "./insertion.ts";
import { composerMessages as texts } from "./messages.ts";
import { suggestionId, TemplateSuggestions } from "./template-suggestions.tsx";

interface ComposerFieldProps {
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly text: string;
  readonly isPrivate: boolean;
  readonly isDisabled: boolean;
  readonly problemId: string | undefined;
  readonly onChange: (text: string) => void;
  readonly onSubmit: () => void;
  readonly onFiles: (files: readonly File[]) => void;
  readonly onTemplate: (template: ReplyTemplate, range: SlashWord) => void;
}

const SUGGESTIONS_MAX = 8;

const editedIn = ({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): EditedText => ({
  text: value,
  start: selectionStart,
  end: selectionEnd,
});

/** Browsers without `field-sizing` need a height that follows the text. */
const useFieldHeight = (field: RefObject<HTMLTextAreaElement | null>, text: string): void =>
  useLayoutEffect(() => {
    const element = field.current;
    if (!element || CSS.supports("field-sizing", "content")) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight + 2}px`;
  }, [field, text]);

/** The field for the text, with suggestions of templates for a word with a slash. */
export const ComposerField = ({ field, text, isPrivate, ...props }: ComposerFieldProps) => {
  const listId = useId();
  const [slash, setSlash] = useState<SlashWord>();
  const [selected, setSelected] = useState(0);
  const { data: templates = [] } = useQuery({ ...templatesQuery, enabled: slash !== undefined });
  useFieldHeight(field, text);
  const found = slash ? matchingTemplates(templates, slash.word).slice(0, SUGGESTIONS_MAX) : [];

  const look = (element: HTMLTextAreaElement): void => {
    const next = slashWordAt(editedIn(element));
    if (next?.start !== slash?.start || next?.word !== slash?.word) setSelected(0);
    setSlash(next);
  };
  const choose = (template: ReplyTemplate): void => {
    if (slash) props.onTemplate(template, slash);
    setSlash(undefined);
  };
  /** -> whether the key was meant for the suggestions */
  const onSuggestionKey = ({ key }: KeyboardEvent): boolean => {
    const template = found[selected];
    if (!template) return false;
    if (key === "ArrowDown") setSelected((selected + 1) % found.length);
    else if (key === "ArrowUp") setSelected((selected + found.length - 1) % found.length);
    else if (key === "Enter" || key === "Tab") choose(template);
    else if (key === "Escape") setSlash(undefined);
    else return false;
    return true;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (event.nativeEvent.isComposing) return;
    if (!event.ctrlKey && !event.metaKey && onSuggestionKey(event)) return event.preventDefault();
    const isSending =
      event.key === "Enter" &&
      (event.ctrlKey || event.metaKey || (enterSendsSetting.get() && !event.shiftKey && !event.altKey));
    if (isSending) {
      event.preventDefault();
      props.onSubmit();
    } else if (event.key === "Escape") {
      event.preventDefault();
      // Keys of the conversation work there, and arrow keys scroll the messages.
      focusStart();
    }
  };

  return (
    <div className={styles.fieldArea}>
      {found.length > 0 && <TemplateSuggestions id={listId} templates={found} selected={selected} onChoose={choose} />}
      <textarea
        ref={field}
        className={styles.field}
        rows={2}
        value={text}
        disabled={props.isDisabled}
        aria-label={isPrivate ? texts.noteLabel : texts.replyLabel}
        placeholder={isPrivate ? texts.notePlaceholder : texts.replyPlaceholder}
        aria-autocomplete="list"
        aria-describedby={props.problemId}
        {...(found.length > 0 && { "aria-controls": listId, "aria-activedescendant": suggestionId(listId, selected) })}
        onChange={({ currentTarget }) => {
          props.onChange(currentTarget.value);
          look(currentTarget);
        }}
        onSelect={({ currentTarget }) => slash && look(currentTarget)}
        onBlur={() => setSlash(undefined)}
        onKeyDown={onKeyDown}
        onPaste={(event) => {
          const files = [...event.clipboardData.files];
          // Spreadsheets and text editors put a picture of a text beside it.
          if (files.length === 0 || event.clipboardData.types.includes("text/plain")) return;
          event.preventDefault();
          props.onFiles(files);
        }}
      />
    </div>
  );
};
