import type { ReplyTemplate } from "@parley/contract";
import { useRef } from "react";
import { useEffect } from "../state/effects.ts";
import styles from "./composer.module.css";
import { composerMessages as texts } from "./messages.ts";

interface TemplateSuggestionsProps {
  readonly id: string;
  readonly templates: readonly ReplyTemplate[];
  readonly selected: number;
  readonly onChoose: (template: ReplyTemplate) => void;
}

export const suggestionId = (listId: string, index: number): string => `${listId}-${index}`;

/** Templates for the word with a slash that is being typed. The field keeps the focus; its keys move the selection. */
export const TemplateSuggestions = ({ id, templates, selected, onChoose }: TemplateSuggestionsProps) => {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[selected]?.scrollIntoView({ block: "nearest" });
  }, [selected]);
  return (
    <div className={styles.suggestions}>
      <ul ref={list} id={id} role="listbox" aria-label={texts.templates} className={styles.suggestionList}>
        {templates.map((template, index) => (
          <li
            key={template.id}
            id={suggestionId(id, index)}
            role="option"
            aria-selected={index === selected}
            className={styles.suggestion}
            // Before the field loses the focus.
            onPointerDown={(event) => {
              event.preventDefault();
              onChoose(template);
            }}
          >
            <span className={styles.suggestionName}>
              {template.name}
              {template.shortcut !== undefined && <kbd className={styles.detail}>/{template.shortcut}</kbd>}
            </span>
            <span className={styles.suggestionText}>{template.text}</span>
          </li>
        ))}
      </ul>
      <p role="status" className="visually-hidden">
        {texts.suggestions(templates.length)}
      </p>
    </div>
  );
};
