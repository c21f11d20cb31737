/** Time of the clock that all processes of a machine share. Their wall clocks may be set while they run. @units milliseconds */
export const nowMs = () => Number(process.hrtime.bigint()) / 1e6;
