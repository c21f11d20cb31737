import type { MessengerPrivacy } from "@parley/contract";
import { useState } from "react";
import { Switch } from "../../ui/checkbox.tsx";
import { showError } from "../../ui/toast-store.ts";
import type { AccountConfigurationState } from "../account-document.ts";
import shared from "../administration.module.css";
import { Section } from "../section.tsx";
import styles from "./messenger.module.css";
import { privacyMessages as texts } from "./privacy-messages.ts";

const MEMBERS = ["is_page_shown", "is_consent_required"] as const satisfies readonly (keyof MessengerPrivacy)[];

interface PrivacySectionProps extends Pick<AccountConfigurationState, "change" | "reread"> {
  readonly privacy: MessengerPrivacy;
}

/** What the messenger records about visitors. Each switch takes effect at once, for pages that are loaded from then on. */
export const PrivacySection = ({ privacy, change, reread }: PrivacySectionProps) => {
  const [isSaving, setSaving] = useState(false);
  const save = async (member: (typeof MEMBERS)[number], isOn: boolean): Promise<void> => {
    setSaving(true);
    try {
      // The other members, as another admin may have changed them.
      const present = (await reread()).messenger?.privacy;
      await change({ messenger: { privacy: { ...present, [member]: isOn } } });
    } catch (error) {
      showError(error);
    } finally {
      setSaving(false);
    }
  };
  return (
    <Section isCard title={texts.title}>
      <div className={styles.form}>
        {MEMBERS.map((member) => (
          <div key={member}>
            <Switch
              isSelected={privacy[member] === true}
              isDisabled={isSaving}
              onChange={(isOn) => void save(member, isOn)}
            >
              {texts[member]}
            </Switch>
            <p className={shared.muted}>{texts[`${member}_help`]}</p>
          </div>
        ))}
      </div>
    </Section>
  );
};
