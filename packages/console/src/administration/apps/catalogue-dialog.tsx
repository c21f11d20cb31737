import type { CatalogueApp } from "@parley/contract";
import { formatDateTime } from "../../i18n/format.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { uiMessages } from "../../ui/messages.ts";
import { isAtLeast } from "../../workspace/roles.ts";
import { useWorkspace } from "../../workspace/workspace.ts";
import administration from "../administration.module.css";
import { DeclarationView } from "./declaration-view.tsx";
import { appsPageMessages as texts } from "./messages.ts";
import { PageLink } from "./page-link.tsx";

interface CatalogueDialogProps {
  readonly app: CatalogueApp;
  readonly onClose: () => void;
}

/** The rights of an app of the catalogue, before it is installed. */
export const CatalogueDialog = ({ app, onClose }: CatalogueDialogProps) => {
  const [newest] = app.versions;
  const { role } = useWorkspace().agent;
  const { permissions, undecided } = app.declaration;
  const needsAccountAdmin = permissions.length + undecided.length > 0 && !isAtLeast(role, "ACCOUNT_ADMIN");
  return (
    <Dialog
      title={texts.installNamed(app.title)}
      isOpen
      isWide
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{uiMessages.cancel}</Button>
          {app.page !== undefined && (
            <PageLink href={app.page} isPrimary>
              {texts.install}
            </PageLink>
          )}
        </>
      }
    >
      <div className={administration.form}>
        <div>
          <p>{app.description}</p>
          {newest && (
            <p className={administration.muted}>
              {texts.newest(newest.version, formatDateTime(newest.published_time))}
            </p>
          )}
        </div>
        <DeclarationView declaration={app.declaration} />
        <p className={administration.notice}>{app.page === undefined ? texts.noPage : texts.installHelp}</p>
        {app.page !== undefined && needsAccountAdmin && (
          <p className={administration.notice}>{texts.needsAccountAdmin}</p>
        )}
      </div>
    </Dialog>
  );
};
