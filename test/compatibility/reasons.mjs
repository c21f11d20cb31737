/**
 * Reasons that are the same for every app: whose they are, and why.
 * `own`: a fault of the app, which it has in the field too; `outside`: what this machine or this service has nothing of.
 */
const REASONS = [
  [/is not found in app folder/, "own", "its manifest names a file that its repository does not hold"],
  [/Event callback '\S+' is not defined/, "own", "its manifest names a handler that its code does not have"],
  [/iparam '\S+' is not defined in config/, "own", "a template names a parameter that the app does not declare"],
  [/Mandatory folder\(s\) missing/, "own", "its repository does not hold the folder"],
  [/Config directory has invalid file\(s\): \S+~/, "own", "its repository holds files that a merge left behind"],
  [/client\.data\.get: '\w+' is not known here/, "outside", "data of another product"],
  [/\w+: '\w+' is not on this page; elements here are/, "outside", "an element of another product's page"],
  [/not reached/, "own", "the errors of validate come first"],
  [/Bootstrap's JavaScript requires jQuery/, "own", "its page loads Bootstrap before jQuery, or without it"],
];

/** -> whose the failure is and why, where every app's reader may take it for granted; undefined otherwise */
export const commonReason = (reason) => {
  const known = REASONS.find(([pattern]) => pattern.test(reason));
  return known && { whose: known[1], why: known[2] };
};
