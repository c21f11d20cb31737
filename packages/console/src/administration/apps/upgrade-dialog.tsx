import type { InstallationDetails } from "@parley/contract";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { errorText } from "../../ui/error-text.ts";
import field from "../../ui/field.module.css";
import { uiMessages } from "../../ui/messages.ts";
import { isAtLeast } from "../../workspace/roles.ts";
import { useWorkspace } from "../../workspace/workspace.ts";
import administration from "../administration.module.css";
import { LoadState } from "../load-state.tsx";
import styles from "./apps.module.css";
import { versionQuery } from "./apps-query.ts";
import { declarationChanges } from "./declaration-sentences.ts";
import { appsPageMessages as texts } from "./messages.ts";
import { PageLink } from "./page-link.tsx";

interface ChangesProps {
  readonly account: string;
  readonly app: InstallationDetails;
  readonly version: string;
}

const Sentences = ({ title, sentences }: { readonly title: string; readonly sentences: readonly string[] }) =>
  sentences.length === 0 ? null : (
    <section>
      <h3 className={styles.partTitle}>{title}</h3>
      <ul className={styles.sentences}>
        {sentences.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  );

/** Rights that the other version has and the installed version lacks, and the reverse. */
const Changes = ({ account, app, version }: ChangesProps) => {
  const before = useQuery(versionQuery(account, app.name, app.version));
  const after = useQuery(versionQuery(account, app.name, version));
  return (
    <LoadState query={before}>
      {(earlier) => (
        <LoadState query={after}>
          {(later) => {
            const { added, removed } = declarationChanges(earlier, later);
            if (added.length + removed.length === 0) return <p>{texts.noChange}</p>;
            return (
              // Can be longer than the dialog, which keys then scroll.
              <div role="group" tabIndex={0} aria-label={texts.changes} className={styles.declaration}>
                <Sentences title={texts.added} sentences={added} />
                <Sentences title={texts.removed} sentences={removed} />
              </div>
            );
          }}
        </LoadState>
      )}
    </LoadState>
  );
};

interface UpgradeDialogProps extends ChangesProps {
  /** Its rejection is shown, and the dialog stays. */
  readonly upgrade: () => Promise<void>;
  readonly onClose: () => void;
}

/** Shows the changes of an upgrade, and starts it. Parameters that it lacks are filled in on the app's own page. */
export const UpgradeDialog = ({ account, app, version, upgrade, onClose }: UpgradeDialogProps) => {
  const { role } = useWorkspace().agent;
  // The service would refuse the key of the new version.
  const isRefused = app.upgrade_creates_key === true && !isAtLeast(role, "ACCOUNT_ADMIN");
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<string>();
  const page = `${app.page}?version=${encodeURIComponent(version)}`;
  const run = async (): Promise<void> => {
    setRunning(true);
    try {
      await upgrade();
      onClose();
    } catch (error) {
      setProblem(errorText(error));
      setRunning(false);
    }
  };
  return (
    <Dialog
      title={texts.upgradeTitle(app.title, version)}
      isOpen
      isWide
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{uiMessages.cancel}</Button>
          {!isRefused && (
            <Button variant="primary" isDisabled={isRunning} onPress={() => void run()}>
              {texts.upgrade}
            </Button>
          )}
        </>
      }
    >
      <div className={administration.form}>
        <Changes account={account} app={app} version={version} />
        <p>{texts.upgradeText}</p>
        {isRefused && (
          <div>
            <p className={administration.notice}>{texts.upgradeNeedsAccountAdmin}</p>
            <PageLink href={page}>{texts.onPage}</PageLink>
          </div>
        )}
        {problem !== undefined && (
          <div role="alert">
            <p className={field.error}>{problem}</p>
            <p>{texts.onPageText}</p>
            <PageLink href={page}>{texts.onPage}</PageLink>
          </div>
        )}
      </div>
    </Dialog>
  );
};
