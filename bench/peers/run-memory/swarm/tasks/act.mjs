/** Takes a number. */
export const run = () => null
