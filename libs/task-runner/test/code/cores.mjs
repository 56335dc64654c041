import { readFileSync } from 'node:fs'

export const run = () => readFileSync('/proc/self/status', 'latin1')
