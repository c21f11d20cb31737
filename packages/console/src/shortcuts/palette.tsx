import { useId, useRef, useState, type KeyboardEvent } from "react";
import { Dialog, Modal, ModalOverlay } from "react-aria-components";
import { useEffect, useLayoutEffect } from "../state/effects.ts";
import dialogStyles from "../ui/dialog.module.css";
import { Icon } from "../ui/icon.tsx";
import { KeyCaps } from "./key-caps.tsx";
import { shortcutMessages as texts } from "./messages.ts";
import { movedIndex, type PaletteItem } from "./palette-items.ts";
import styles from "./palette.module.css";
import { usePaletteSections } from "./use-palette-sections.ts";

interface OptionProps {
  readonly item: PaletteItem;
  readonly id: string;
  readonly isActive: boolean;
  readonly onPoint: () => void;
  readonly onChoose: () => void;
}

const Option = ({ item: { label, icon, detail, keys }, id, isActive, onPoint, onChoose }: OptionProps) => {
  const option = useRef<HTMLLIElement>(null);
  // After each rendering: a new text moves the active option.
  useLayoutEffect(() => {
    if (isActive) option.current?.scrollIntoView({ block: "nearest" });
  });
  return (
    // The field has the focus and handles the keys.
    <li
      ref={option}
      id={id}
      role="option"
      aria-selected={isActive}
      className={styles.option}
      onPointerMove={onPoint}
      onClick={onChoose}
    >
      {icon && <Icon name={icon} />}
      <span className={styles.label}>{label}</span>
      {detail !== undefined && <span className={styles.detail}>{detail}</span>}
      {keys !== undefined && <KeyCaps keys={keys} />}
    </li>
  );
};

const PaletteBody = ({ onClose }: { readonly onClose: () => void }) => {
  const [typed, setTyped] = useState("");
  const [activeId, setActiveId] = useState<string>();
  const sections = usePaletteSections(typed);
  const listId = useId();
  const items = sections.flatMap((section) => section.items);
  const activeIndex = Math.max(
    0,
    items.findIndex(({ id }) => id === activeId),
  );
  const active = items[activeIndex];
  // A new text begins at the best match again.
  useEffect(() => {
    setActiveId(undefined);
  }, [typed]);

  const choose = (item: PaletteItem | undefined): void => {
    if (!item) return;
    onClose();
    // The dialog gives the focus back first: a command may set it elsewhere.
    setTimeout(item.run, 0);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Enter") {
      event.preventDefault();
      choose(active);
      return;
    }
    const next = items.length > 0 ? movedIndex(activeIndex, event.key, items.length) : undefined;
    if (next === undefined) return;
    event.preventDefault();
    setActiveId(items[next]?.id);
  };
  const optionId = (item: PaletteItem): string => `${listId}-${items.indexOf(item)}`;

  return (
    <>
      <div className={styles.search}>
        <Icon name="search" />
        <input
          className={styles.input}
          role="combobox"
          aria-expanded
          aria-haspopup="listbox"
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={active && optionId(active)}
          aria-label={texts.palette}
          placeholder={texts.placeholder}
          autoComplete="off"
          spellCheck={false}
          autoFocus
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <ul id={listId} role="listbox" aria-label={texts.palette} className={styles.list}>
        {sections.map(({ id, title, items: ofSection }) => (
          <li key={id} role="presentation">
            <ul role="group" aria-labelledby={`${listId}-${id}`}>
              <li role="presentation" id={`${listId}-${id}`} className={styles.section}>
                {title}
              </li>
              {ofSection.map((item) => (
                <Option
                  key={item.id}
                  item={item}
                  id={optionId(item)}
                  isActive={item === active}
                  onPoint={() => setActiveId(item.id)}
                  onChoose={() => choose(item)}
                />
              ))}
            </ul>
          </li>
        ))}
      </ul>
      <p className={styles.hint} role="status">
        <span className="visually-hidden">{items.length === 0 ? texts.none : texts.results(items.length)}. </span>
        {items.length === 0 ? <span aria-hidden>{texts.none}</span> : texts.hint}
      </p>
    </>
  );
};

/** The palette of commands: type to find a command, a conversation or a customer. */
const Palette = ({ onClose }: { readonly onClose: () => void }) => (
  <ModalOverlay
    isOpen
    isDismissable
    onOpenChange={(isOpen) => !isOpen && onClose()}
    className={dialogStyles.overlay ?? ""}
  >
    <Modal className={`${dialogStyles.modal} ${styles.modal}`}>
      <Dialog aria-label={texts.palette} className={styles.palette ?? ""}>
        <PaletteBody onClose={onClose} />
      </Dialog>
    </Modal>
  </ModalOverlay>
);
export default Palette;
