/** Another process of the platform holds the installation, or this process can't prove that it does. A later attempt can succeed. */
export class InstallationHeldElsewhere extends Error {
  override readonly name = "InstallationHeldElsewhere";
  constructor() {
    super("Another process of the platform runs this installation.");
  }
}

export const isHeldElsewhere = (error: unknown): error is InstallationHeldElsewhere =>
  error instanceof InstallationHeldElsewhere;
