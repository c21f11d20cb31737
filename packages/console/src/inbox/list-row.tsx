import type { ListedConversation } from "@parley/contract";
import { memo, type MouseEvent } from "react";
import { PersonAvatar } from "../ui/avatar.tsx";
import { classes } from "../ui/classes.ts";
import { FOCUS_START } from "../ui/focus-keeper.ts";
import { Icon } from "../ui/icon.tsx";
import { customerName, type Names } from "../workspace/workspace.ts";
import styles from "./list-row.module.css";
import { inboxMessages as texts } from "./messages.ts";
import { RowDetails } from "./row-details.tsx";
import { RowPreview } from "./row-preview.tsx";
import { ListTime } from "./row-times.tsx";

/** Functions that rows call; the object stays the same. */
export interface RowActions {
  readonly open: (id: string, event: MouseEvent) => void;
  readonly toggle: (item: ListedConversation) => void;
  readonly focus: (id: string) => void;
}

interface ListRowProps {
  readonly item: ListedConversation;
  /** Number of the row in the whole list, from 1. */
  readonly rowIndex: number;
  /** @units pixels */
  readonly top: number;
  /** The row that the keyboard reaches. */
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly isOpen: boolean;
  /** Text of the agent's draft. */
  readonly draft: string | undefined;
  readonly names: Names;
  /** -> the address of a conversation */
  readonly hrefOf: (id: string) => string;
  readonly actions: RowActions;
}

const UNREAD_SHOWN_MAX = 99;

/** A conversation in the list. */
export const ListRow = memo(function ListRow(props: ListRowProps) {
  const { item, rowIndex, top, isActive, isSelected, isOpen, draft, names, hrefOf, actions } = props;
  const { conversation_id: id, customer, unread } = item;
  const name = customerName(customer);
  return (
    <div
      role="row"
      className={classes(styles.row, unread > 0 && styles.unread)}
      style={{ transform: `translateY(${top}px)` }}
      tabIndex={isActive ? 0 : -1}
      aria-rowindex={rowIndex}
      aria-selected={isSelected}
      aria-current={isOpen ? "true" : undefined}
      data-id={id}
      {...(isActive && FOCUS_START)}
      onFocus={() => actions.focus(id)}
    >
      <div role="gridcell" className={styles.select}>
        <label className={styles.selectArea}>
          <input
            type="checkbox"
            className={styles.checkbox}
            tabIndex={-1}
            checked={isSelected}
            aria-label={texts.selectConversation(name)}
            onChange={() => actions.toggle(item)}
          />
          <span className={styles.mark}>
            <Icon name="check" />
          </span>
          <PersonAvatar name={name} url={customer.avatar_url} of={{ user_id: customer.id }} />
        </label>
      </div>
      <div role="gridcell" className={styles.content}>
        <a href={hrefOf(id)} tabIndex={-1} className={styles.link} onClick={(event) => actions.open(id, event)}>
          <span className={styles.line}>
            <span className={styles.name}>{name}</span>
            <ListTime time={item.activity_time} />
          </span>
          <span className={styles.line}>
            <RowPreview preview={item.preview} draft={draft} />
            {unread > 0 && (
              <span className={styles.badge}>
                <span aria-hidden>{unread > UNREAD_SHOWN_MAX ? `${UNREAD_SHOWN_MAX}+` : unread}</span>
                <span className="visually-hidden">{texts.unreadMessages(unread)}</span>
              </span>
            )}
          </span>
          <RowDetails item={item} names={names} />
        </a>
      </div>
    </div>
  );
});
