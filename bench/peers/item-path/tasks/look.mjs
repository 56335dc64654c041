export const run = ({ frame }) => ({ bytes: frame.length })
