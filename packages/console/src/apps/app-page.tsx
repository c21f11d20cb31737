import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { EmptyState } from "../ui/empty-state.tsx";
import { usePageTitle } from "../ui/page-title.ts";
import { AppQuestionDialog } from "./app-question-dialog.tsx";
import { AppView } from "./app-view.tsx";
import styles from "./apps.module.css";
import { useConsoleApps } from "./console-apps.ts";
import { appsMessages as texts } from "./messages.ts";

/** A full page of an app, or another of its places alone, by its id or by its name without the module. */
export const AppPage = () => {
  const navigate = useNavigate();
  const { app: name, place: placeId } = useParams({ from: "/apps/$app/$place" });
  const { conversation } = useSearch({ from: "/apps/$app/$place" });
  const app = useConsoleApps().find((each) => each.name === name);
  const place =
    app?.places.find(({ id }) => id === placeId) ?? app?.places.find(({ id }) => id.endsWith(`.${placeId}`));
  usePageTitle(app && place ? [app.title] : undefined);
  if (!app || !place) return <EmptyState isPage icon="app" title={texts.notFound} />;
  return (
    <div className={styles.page}>
      <h1 className="visually-hidden">{app.title}</h1>
      <AppView
        key={`${name} ${placeId}`}
        app={app}
        place={place}
        isFullHeight
        {...(conversation !== undefined && { conversationId: conversation })}
        onClose={() => void navigate({ to: "/inbox" })}
      />
      <AppQuestionDialog />
    </div>
  );
};
