/**
 * Whether this browser has a session, in the site's storage: the panel, which has the session itself, is then loaded with the page, so that unread
 * messages are announced. The flag is not secret. Where storage is blocked, the panel is loaded when it is opened.
 */
export const createSessionFlag = (account: string) => {
  const key = `fc_session ${account}`;
  return {
    read(): boolean {
      try {
        return localStorage.getItem(key) !== null;
      } catch {
        return false;
      }
    },
    write(hasSession: boolean): void {
      try {
        if (hasSession) localStorage.setItem(key, "1");
        else localStorage.removeItem(key);
      } catch {
        // Storage is blocked.
      }
    },
  };
};
