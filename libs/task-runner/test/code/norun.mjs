export const notRun = 1
