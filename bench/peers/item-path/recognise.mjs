/** Gives its frame on, as a task in the cloud. */
export const run = ({ frame }) => frame
