/**
 * Failure reasons that apply to any app, with whose they are and an explanation.
 * `own`: a defect of the app, on any host; `outside`: something that this machine or service doesn't have.
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

/** Returns the owner and the reason of a failure with a common reason, undefined otherwise. */
export const commonReason = (reason) => {
  const cause = REASONS.find(([pattern]) => pattern.test(reason));
  return cause && { whose: cause[1], why: cause[2] };
};
