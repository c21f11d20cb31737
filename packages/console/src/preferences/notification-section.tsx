import { useEffect } from "../state/effects.ts";
import { useStore } from "../state/store.ts";
import { Button } from "../ui/button.tsx";
import { Select } from "../ui/select.tsx";
import { showError } from "../ui/toast-store.ts";
import {
  desktopPermission,
  readDesktopPermission,
  requestDesktopPermission,
  showTestNotice,
  type DesktopPermission,
} from "./desktop-notices.ts";
import { preferenceMessages as texts } from "./messages.ts";
import { NOTICE_LEVELS } from "./notification-choice.ts";
import { LabelledSwitch, PreferencesSection } from "./section.tsx";
import { notificationSetting } from "./settings.ts";
import styles from "./preferences.module.css";

const PERMISSION_TEXTS: Readonly<Record<DesktopPermission, string | undefined>> = {
  default: texts.permissionDefault,
  denied: texts.permissionDenied,
  unsupported: texts.permissionUnsupported,
  granted: undefined,
};

/** The agent's choice of notifications, and the permission of the browser. */
export const NotificationSection = () => {
  const choice = useStore(notificationSetting);
  const permission = useStore(desktopPermission);
  useEffect(() => {
    readDesktopPermission();
  }, []);

  const change = (next: Partial<typeof choice>): void => notificationSetting.change({ ...choice, ...next });
  const changeDesktop = async (hasDesktop: boolean): Promise<void> => {
    const isAllowed = !hasDesktop || (await requestDesktopPermission()) === "granted";
    change({ hasDesktop: hasDesktop && isAllowed });
  };
  const hint = PERMISSION_TEXTS[permission];
  return (
    <PreferencesSection title={texts.notifications}>
      <Select
        label={texts.level}
        help={texts.levelHelp}
        choices={NOTICE_LEVELS.map((id) => ({ id, label: texts[id] }))}
        value={choice.level}
        onChange={(level) => change({ level })}
      />
      <div>
        <LabelledSwitch
          label={texts.desktop}
          help={texts.desktopHelp}
          isSelected={choice.hasDesktop && permission === "granted"}
          isDisabled={permission === "unsupported" || permission === "denied"}
          onChange={(hasDesktop) => void changeDesktop(hasDesktop).catch(showError)}
        />
        <div role="status" className={styles.indented}>
          {hint !== undefined && <p className={styles.help}>{hint}</p>}
        </div>
      </div>
      {choice.hasDesktop && permission === "granted" && (
        <div className={styles.indented}>
          <Button icon="bell" onPress={showTestNotice}>
            {texts.testNotice}
          </Button>
        </div>
      )}
    </PreferencesSection>
  );
};
