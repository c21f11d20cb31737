import type { ReactElement } from "react";
import { Header, Menu as AriaMenu, MenuItem, MenuSection, MenuTrigger, Popover } from "react-aria-components";
import { classes } from "./classes.ts";
import { Icon, type IconName } from "./icon.tsx";
import styles from "./popup.module.css";

export interface MenuAction {
  readonly id: string;
  readonly label: string;
  readonly icon?: IconName;
  /** Further text in the line, such as keys. */
  readonly detail?: string;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  /** Shows a check mark. */
  readonly isSelected?: boolean;
  readonly onAction: () => void;
}

export interface MenuGroup {
  readonly title?: string;
  readonly actions: readonly MenuAction[];
}

interface MenuProps {
  /** Name of the menu for screen readers. */
  readonly label: string;
  readonly groups: readonly MenuGroup[];
  /** Given together with `onOpenChange` if something else opens it too. */
  readonly isOpen?: boolean;
  readonly onOpenChange?: (isOpen: boolean) => void;
  /** The button that opens it. */
  readonly children: ReactElement;
}

const Item = ({ id, label, icon, detail, isDanger = false, isDisabled = false, isSelected, onAction }: MenuAction) => (
  <MenuItem
    id={id}
    textValue={label}
    isDisabled={isDisabled}
    onAction={onAction}
    className={classes(styles.item, isDanger && styles.danger)}
  >
    {icon && <Icon name={icon} />}
    <span className={styles.label}>{label}</span>
    {detail !== undefined && <span className={styles.detail}>{detail}</span>}
    {isSelected === true && <Icon name="check" label="✓" />}
  </MenuItem>
);

/** A button with a menu of actions. */
export const Menu = ({ label, groups, children, ...opening }: MenuProps) => (
  <MenuTrigger {...opening}>
    {children}
    <Popover className={styles.popover ?? ""} offset={4}>
      <AriaMenu aria-label={label} className={styles.list ?? ""}>
        {groups.map(({ title, actions }, index) => (
          <MenuSection key={title ?? index} {...(title === undefined && { "aria-label": label })}>
            {title !== undefined && <Header className={styles.section}>{title}</Header>}
            {actions.map((action) => (
              <Item key={action.id} {...action} />
            ))}
          </MenuSection>
        ))}
      </AriaMenu>
    </Popover>
  </MenuTrigger>
);
