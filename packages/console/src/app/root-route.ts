import { createRootRoute } from "@tanstack/react-router";
import { NotFoundPage } from "./not-found-page.tsx";
import { Shell } from "./shell.tsx";

/** The frame of all pages. */
export const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFoundPage });
