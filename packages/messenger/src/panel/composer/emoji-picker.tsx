/** @jsxImportSource preact */
import { messengerLanguageOf } from "@parley/contract/display";
import { EMOJIS, type Emoji } from "@parley/contract/emoji";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useDisplay } from "../elements/display.ts";

const COLUMNS = 8;

interface EmojiPickerProps {
  /** The last first. */
  readonly recent: readonly string[];
  readonly onChoose: (emoji: string) => void;
  /** The person closes it by the Escape key. */
  readonly onClose: () => void;
  /** The focus went elsewhere. */
  readonly onLeave: () => void;
}

interface Cell {
  readonly row: number;
  readonly column: number;
}

const rowsOf = (emojis: readonly Emoji[]): readonly (readonly Emoji[])[] =>
  Array.from({ length: Math.ceil(emojis.length / COLUMNS) }, (_, row) =>
    emojis.slice(row * COLUMNS, (row + 1) * COLUMNS),
  );

/** -> names in the language of the panel, else in English, with their language */
const nameOf = ({ en, de }: Emoji, language: string | undefined): { readonly name: string; readonly lang: string } =>
  language === "de" ? { name: de, lang: "de" } : { name: en, lang: "en" };

/** Emojis in rows, between which the arrow keys move: those of the person first. */
export const EmojiPicker = ({ recent, onChoose, onClose, onLeave }: EmojiPickerProps) => {
  const { texts, locale } = useDisplay();
  const language = messengerLanguageOf(locale);
  const [focused, setFocused] = useState<Cell>({ row: 0, column: 0 });
  const element = useRef<HTMLDivElement>(null);
  const sections = useMemo(() => {
    const known = recent.flatMap((emoji) => EMOJIS.find((each) => each.emoji === emoji) ?? []);
    const own = rowsOf(known.slice(0, COLUMNS));
    return [
      { label: texts.recentEmojis, rows: own, first: 0 },
      { label: texts.emojis, rows: rowsOf(EMOJIS), first: own.length },
    ].filter(({ rows }) => rows.length > 0);
  }, [recent, texts]);
  const rows = sections.flatMap((section) => section.rows);

  const focus = ({ row, column }: Cell): void => {
    setFocused({ row, column });
    element.current?.querySelector<HTMLElement>(`[data-cell="${row} ${column}"]`)?.focus();
  };
  useLayoutEffect(() => focus({ row: 0, column: 0 }), []);

  const move = (event: KeyboardEvent): void => {
    const { row, column } = focused;
    const forward = document.documentElement.dir === "rtl" ? -1 : 1;
    const moves: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
      ArrowRight: [0, forward],
      ArrowLeft: [0, -forward],
      ArrowDown: [1, 0],
      ArrowUp: [-1, 0],
      Home: [0, -column],
      End: [0, COLUMNS],
    };
    if (event.key === "Escape") {
      // The panel stays open.
      event.stopPropagation();
      event.preventDefault();
      return onClose();
    }
    const change = moves[event.key];
    if (!change) return;
    event.preventDefault();
    const nextRow = Math.min(Math.max(row + change[0], 0), rows.length - 1);
    const last = (rows[nextRow]?.length ?? 1) - 1;
    focus({ row: nextRow, column: Math.min(Math.max(column + change[1], 0), last) });
  };

  return (
    <div
      ref={element}
      class="emojiPicker"
      role="dialog"
      aria-label={texts.emojis}
      onKeyDown={move}
      onFocusOut={({ relatedTarget, currentTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) onLeave();
      }}
    >
      {sections.map((section) => (
        <div key={section.first} role="grid" class="emojis" aria-label={section.label}>
          {section.rows.map((cells, index) => (
            <div key={index} role="row">
              {cells.map((each, column) => {
                const row = section.first + index;
                const { name, lang } = nameOf(each, language);
                return (
                  <button
                    key={each.emoji}
                    type="button"
                    role="gridcell"
                    data-cell={`${row} ${column}`}
                    tabIndex={focused.row === row && focused.column === column ? 0 : -1}
                    aria-label={name}
                    title={name}
                    lang={lang}
                    onFocus={() => setFocused({ row, column })}
                    onClick={() => onChoose(each.emoji)}
                  >
                    {each.emoji}
                  </button>
                );
              })}
            </div>
          ))}
        </div>
      ))}
    </div>
  );
};
