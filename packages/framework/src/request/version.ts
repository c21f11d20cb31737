/** Whether a platform-version has `request.get` and its like, and a list of domains instead of templates: up to 2.2. */
export const hasVerbs = (platformVersion: string): boolean => {
  const [major = 0, minor = 0] = platformVersion.split(".").map(Number);
  return major < 2 || (major === 2 && minor <= 2);
};
