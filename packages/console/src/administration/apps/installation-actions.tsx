import type { InstallationDetails } from "@parley/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { showError, showToast } from "../../ui/toast-store.ts";
import { platformCalls } from "../admin-client.ts";
import administration from "../administration.module.css";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { appsKey } from "./apps-query.ts";
import { APP_VALUES } from "./contract-values.ts";
import { appsPageMessages as texts } from "./messages.ts";
import { PageLink } from "./page-link.tsx";
import { UninstallDialog } from "./uninstall-dialog.tsx";
import { UpgradeDialog } from "./upgrade-dialog.tsx";

type Step = "upgrade" | "rollBack" | "pause" | "uninstall";

interface InstallationActionsProps {
  readonly account: string;
  readonly app: InstallationDetails;
}

/** The steps of an installation's life: upgrade, return, pause, resume, uninstall. Each says first what it does. */
export const InstallationActions = ({ account, app }: InstallationActionsProps) => {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [opened, setOpened] = useState<Step>();
  const { name, title, newer_version: newer, previous_version: previous } = app;
  const params = { account, name };
  /** A dialog that was opened while the last step still read the page again stays open. */
  const closerOf = (step: Step) => (): void => setOpened((present) => (present === step ? undefined : present));
  const reread = () => queries.invalidateQueries({ queryKey: appsKey(account) });

  const upgrade = async (version: string): Promise<void> => {
    await platformCalls.upgradeApp({ params, body: { version } });
    await reread();
    showToast(texts.upgraded(title, version));
  };
  const rollBack = async (): Promise<void> => {
    const { version } = await platformCalls.rollBackApp({ params });
    await reread();
    showToast(texts.rolledBack(title, version));
  };
  const pause = async (): Promise<void> => {
    await platformCalls.pauseApp({ params });
    await reread();
    showToast(texts.pausedToast(title));
  };
  const resume = async (): Promise<void> => {
    await platformCalls.resumeApp({ params });
    await reread();
    showToast(texts.resumed(title));
  };
  const uninstall = async (): Promise<void> => {
    await platformCalls.uninstallApp({ params });
    showToast(texts.uninstalled(title));
    await navigate({ to: "/admin/apps" });
    await reread();
  };

  return (
    <div className={administration.buttons}>
      {newer !== undefined && (
        <Button variant="primary" onPress={() => setOpened("upgrade")}>
          {texts.upgradeTo(newer)}
        </Button>
      )}
      <PageLink href={app.page}>{texts.parameters}</PageLink>
      {previous !== undefined && <Button onPress={() => setOpened("rollBack")}>{texts.rollBack(previous)}</Button>}
      {app.state === "active" ? (
        <Button onPress={() => setOpened("pause")}>{texts.pause}</Button>
      ) : (
        <Button onPress={() => void resume().catch(showError)}>{texts.resume}</Button>
      )}
      <Button variant="danger" onPress={() => setOpened("uninstall")}>
        {texts.uninstall}
      </Button>
      {opened === "upgrade" && newer !== undefined && (
        <UpgradeDialog
          account={account}
          app={app}
          version={newer}
          upgrade={() => upgrade(newer)}
          onClose={closerOf("upgrade")}
        />
      )}
      {opened === "rollBack" && previous !== undefined && (
        <ConfirmDialog
          title={texts.rollBackTitle(title, previous)}
          text={texts.rollBackText}
          action={texts.rollBack(previous)}
          run={rollBack}
          onClose={closerOf("rollBack")}
        />
      )}
      {opened === "pause" && (
        <ConfirmDialog
          title={texts.pauseTitle(title)}
          text={texts.pauseText(APP_VALUES.pausedEventsDays)}
          action={texts.pause}
          run={pause}
          onClose={closerOf("pause")}
        />
      )}
      {opened === "uninstall" && <UninstallDialog app={app} uninstall={uninstall} onClose={closerOf("uninstall")} />}
    </div>
  );
};
