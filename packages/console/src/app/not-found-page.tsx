import { Link } from "@tanstack/react-router";
import { EmptyState } from "../ui/empty-state.tsx";
import { appMessages as texts } from "./messages.ts";

export const NotFoundPage = () => (
  <EmptyState isPage icon="search" title={texts.notFoundTitle}>
    <p>{texts.notFoundText}</p>
    <Link to="/inbox">{texts.toInbox}</Link>
  </EmptyState>
);
